#!/usr/bin/env python3
"""Copies of kernels/bandwidth.cu beside those of other tools, on one GPU machine in one run.

  nvcc -arch=native -o /tmp/bandwidth kernels/bandwidth.cu
  tests/bench/gpu.py /tmp/bandwidth [--rounds 3] [--nvbandwidth PROGRAM] [--bandwidth-test PROGRAM]

Rows are PyTorch (where python3 has it) and the programs named. In each round all tools run, every round in
another order. A figure is the median over the rounds, in 1e9 bytes/s; a copy inside a device counts what it
reads and what it writes, both directions at once count together. The ratio is this program's best figure
over the best figure that any other tool reached, at whatever size. Copies that the L2 cache holds do not count.
"""
import argparse, json, re, statistics, subprocess, sys

MIB = 1 << 20
SIZES = [256 * MIB, 1024 * MIB]
SAMPLES = 9
NAMES = {
    "host_to_device_memcpy_ce": ("h2d", "pinned", 1),
    "device_to_host_memcpy_ce": ("d2h", "pinned", 1),
    "device_local_copy": ("d2d", "device", 2),
    "device_to_device_memcpy_write_ce": ("p2p", "device", 1),
}


def torch_rows():
    """In a process of its own: JSON lines like those of bandwidth.cu."""
    import torch

    def sample(copies, row):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        streams = [torch.cuda.Stream() for _ in copies]
        torch.cuda.synchronize()
        begin.record(streams[0])
        for s in streams[1:]:
            s.wait_event(begin)
        for _ in range(row):
            for s, (to, source) in zip(streams, copies):
                with torch.cuda.stream(s):
                    to.copy_(source, non_blocking=True)
        for s in streams[1:]:
            streams[0].wait_stream(s)
        end.record(streams[0])
        end.synchronize()
        return begin.elapsed_time(end) / row * 1e-3

    def measure(kind, memory, size, copies, factor=1):
        sample(copies, 1)
        row = max(1, min(512, int(3e-3 / sample(copies, 1))))
        sample(copies, row)
        seconds = statistics.median(sample(copies, row) for _ in range(SAMPLES))
        print(json.dumps({"kind": kind, "memory": memory, "bytes": size, "gbps": factor * size / seconds / 1e9}))

    def buffer(size, **where):
        return torch.zeros(size, dtype=torch.uint8, **where)

    for size in SIZES:
        a, b = (buffer(size, device="cuda:0") for _ in range(2))
        h, i = (buffer(size, pin_memory=True) for _ in range(2))
        pageable = buffer(size)
        measure("h2d", "pinned", size, [(a, h)])
        measure("d2h", "pinned", size, [(h, a)])
        measure("both", "pinned", size, [(a, h), (i, b)], 2)
        measure("h2d", "pageable", size, [(a, pageable)])
        measure("d2h", "pageable", size, [(pageable, a)])
        measure("d2d", "device", size, [(b, a)], 2)
        if torch.cuda.device_count() > 1:
            measure("p2p", "device", size, [(buffer(size, device="cuda:1"), a)])
            torch.cuda.synchronize(1)


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def output(argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{argv[0]}: status {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}", file=sys.stderr)
    return done.stdout


def ours(program):
    for r in lines(output([program])):
        if r.get("device", 1) == 0 and r.get("peer", 1) == 1 and "kind" in r:
            if r["memory"] != "cache":
                yield r["kind"], r["memory"], r["bytes"], r["gbps"]


def torch_tool():
    for r in lines(output([sys.executable, __file__, "--torch"])):
        yield r["kind"], r["memory"], r["bytes"], r["gbps"]


def nvbandwidth(program, size):
    text = output([program, "-j", "-b", str(size // MIB), "-t", *NAMES])
    try:
        cases = json.loads(text[text.index("{") :])["nvbandwidth"]["testcases"]
    except (ValueError, KeyError):
        return
    for case in cases:
        kind, memory, factor = NAMES.get(case["name"], (None, None, 0))
        for row in case.get("bandwidth_matrix", [])[:1]:
            values = [float(v) for v in row if re.fullmatch(r"[0-9.]+", str(v))]
            if kind and values:
                yield kind, memory, size, factor * values[0]


def sample_test(program, size):
    for memory in "pinned", "pageable":
        text = output([program, "--csv", f"--memory={memory}", "--mode=range", f"--start={size}", f"--end={size}",
                       f"--increment={size}"])
        for way, rate in re.findall(r"bandwidthTest-(H2D|D2H|D2D)\S*, Bandwidth = ([0-9.]+) GB/s", text):
            yield way.lower(), "device" if way == "D2D" else memory, size, float(rate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bandwidth", nargs="?")
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nvbandwidth")
    parser.add_argument("--bandwidth-test")
    args = parser.parse_args()
    if args.torch:
        return torch_rows()
    if not args.bandwidth:
        parser.error("name the program compiled from kernels/bandwidth.cu")
    tools = {"cudaenv": lambda: ours(args.bandwidth)}
    if subprocess.run([sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0:
        tools["PyTorch"] = torch_tool
    if args.nvbandwidth:
        tools["nvbandwidth"] = lambda: nvbandwidth(args.nvbandwidth, 512 * MIB)
    if args.bandwidth_test:
        tools["bandwidthTest"] = lambda: sample_test(args.bandwidth_test, 256 * MIB)
    rates = {}
    names = list(tools)
    for turn in range(args.rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            for kind, memory, size, rate in tools[name]():
                rates.setdefault((kind, memory), {}).setdefault(name, {}).setdefault(size, []).append(rate)
    for (kind, memory), by_tool in sorted(rates.items()):
        best = {}
        for name, by_size in by_tool.items():
            medians = {size: statistics.median(values) for size, values in by_size.items()}
            size = max(medians, key=medians.get)
            best[name] = medians[size]
            spread = by_size[size]
            print(f"{kind:9}{memory:9}{name:14}{size // MIB:6} MiB{best[name]:10.2f} GB/s  "
                  f"({min(spread):.2f} to {max(spread):.2f})")
        others = [rate for name, rate in best.items() if name != "cudaenv"]
        if others and "cudaenv" in best:
            print(f"{kind:9}{memory:9}{'ratio':14}{'':10}{best['cudaenv'] / max(others):10.3f}")


main()
