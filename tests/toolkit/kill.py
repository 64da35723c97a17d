#!/usr/bin/env python3
"""Kills installs at moments spread over their whole duration, each in a fresh root, and completes them.

    kill.py MIRROR FOLDER MOMENTS

After each SIGKILL: versions and store hold only what is whole, compared with an install that was left alone, and a
second run completes without asking the server for an archive that had arrived, or for the bytes of one that had
arrived in part, by the server's log. From the environment: CUDAENV and what it needs.
"""
import concurrent.futures
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

LABEL = "12.4.1"
COMPONENTS = "cuda_cudart,cuda_cuobjdump,cuda_cuxxfilt,cuda_nvml_dev,cuda_nvprune,cuda_profiler_api"
# Bytes a second: downloads are a good part of it then.
RATE = 5000000
# At once, since most of the time they wait for the server.
WORKERS = 4
SERVER = {}


def command(root, name):
    """Each run has a path of its own, so that its requests can be told from those of others."""
    os.symlink(SERVER["mirror"], f"{SERVER['root']}/{name}")
    env = dict(os.environ, CUDAENV_ROOT=root, CUDAENV_SOURCE="redist", CUDAENV_ACCEPT_EULA="1",
               CUDAENV_VERIFY="files", CUDAENV_MIRROR=f"{SERVER['url']}/slow/{RATE}/{name}")
    return subprocess.Popen([os.environ["CUDAENV"], "install", "--components", COMPONENTS, LABEL], env=env,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def run(root, name):
    p = command(root, name)
    err = p.communicate()[1].decode(errors="replace")
    assert p.returncode == 0, f"{name}: status {p.returncode}: {err}"


def listing(top):
    """Everything below top: kind, mode, size, target of a link."""
    found = {}
    for folder, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(folder, name)
            st = os.lstat(path)
            link = os.path.islink(path)
            found[os.path.relpath(path, top)] = (
                oct(st.st_mode), st.st_size if os.path.isfile(path) and not link else 0,
                os.readlink(path) if link else None)
    return found


def prefix_listing(root):
    """The record and the files that name the prefix have the lengths of their own root."""
    own = ("record.json", "verdict.json", ".pc")
    return {path: (mode, None if path.endswith(own) else size, link)
            for path, (mode, size, link) in listing(f"{root}/versions/{LABEL}").items()}


def check_whole(root, reference):
    versions = set(os.listdir(f"{root}/versions")) if os.path.isdir(f"{root}/versions") else set()
    assert versions <= {LABEL}, versions
    if versions:
        assert prefix_listing(root) == reference["prefix"], "the version is not whole"
        with open(f"{root}/versions/{LABEL}/.cudaenv/record.json", encoding="utf-8") as f:
            json.load(f)
    for entry in os.listdir(f"{root}/store") if os.path.isdir(f"{root}/store") else []:
        assert listing(f"{root}/store/{entry}") == reference["store"][entry], f"store/{entry} is not whole"
    bare = subprocess.run([os.environ["CUDAENV"], "versions", "--bare"], env=dict(os.environ, CUDAENV_ROOT=root),
                          capture_output=True, text=True, check=False)
    assert bare.returncode == 0 and bare.stdout.split() == sorted(versions), bare


def state(root):
    """File names of archives that have arrived, and sizes of those that have arrived in part."""
    whole, parts = set(), {}
    for path in glob.glob(f"{glob.escape(root)}/store/*/component.json"):
        with open(path, encoding="utf-8") as f:
            whole.add(json.load(f)["file"])
    for path in glob.glob(f"{glob.escape(root)}/cache/*.xz*"):
        name = os.path.basename(path).split(".", 1)[1]
        if name.endswith(".part"):
            parts[name[:-len(".part")]] = os.path.getsize(path)
        elif name.endswith(".xz"):
            whole.add(name)
    return whole, parts


def serve(mirror, folder):
    SERVER.update(mirror=mirror, root=os.path.join(folder, "served"), log=os.path.join(folder, "server.log"))
    os.mkdir(SERVER["root"])
    httpd = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "httpd.py")
    p = subprocess.Popen([sys.executable, httpd, "--root", SERVER["root"], "--log", SERVER["log"]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    SERVER["url"] = f"http://127.0.0.1:{int(p.stdout.readline())}"
    return p


def answers(name):
    found = []
    with open(SERVER["log"], encoding="utf-8") as f:
        for line in f:
            a = json.loads(line)
            if f"/{name}/" in a["path"] and a["path"].endswith(".xz"):
                found.append((a["status"], a["sent"], a["range"], os.path.basename(a["path"])))
    return found


def check_requests(name, whole, parts, sizes):
    asked = answers(name)
    names = [a[3] for a in asked]
    assert len(set(names)) == len(names), f"asked for twice in one run: {names}"
    assert not whole & set(names), f"had arrived, and was asked for again: {whole & set(names)}"
    for status, sent, wanted, file in asked:
        n = parts.get(file, 0)
        if n:
            assert status == 206 and wanted == f"bytes={n}-", (file, n, status, wanted)
        assert sent == sizes[file] - n, (file, n, sent)


class Pace:
    """How long an install takes: nearer to what is seen with each one, since other work on the machine comes and goes."""

    def __init__(self, seconds):
        self.seconds = seconds

    def saw(self, seconds, whole):
        if whole or seconds > self.seconds:
            self.seconds += (seconds - self.seconds) / 4


def moment(folder, number, part, pace, reference):
    root = f"{folder}/root {number}"
    p = command(root, f"kill{number}")
    start = time.monotonic()
    try:
        p.communicate(timeout=part * pace.seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
    pace.saw(time.monotonic() - start, p.returncode == 0)
    assert p.returncode in (0, -signal.SIGKILL), p.returncode
    check_whole(root, reference)
    whole, parts = state(root)
    published = os.path.isdir(f"{root}/versions/{LABEL}")
    run(root, f"again{number}")
    check_whole(root, reference)
    assert os.path.isdir(f"{root}/versions/{LABEL}")
    assert not os.listdir(f"{root}/staging"), os.listdir(f"{root}/staging")
    assert sorted(os.listdir(f"{root}/shims")) == reference["shims"], os.listdir(f"{root}/shims")
    check_requests(f"again{number}", whole, parts, reference["sizes"])
    shutil.rmtree(root)
    word = "published" if published else "all here" if len(whole) == len(reference["sizes"]) else \
        "some here" if whole else "none here"
    return word + (", parts" if any(parts.values()) else "")


def learn(folder):
    """What an install that is left alone looks like, and how long one takes beside another one."""
    roots = [f"{folder}/left alone {i}" for i in range(2 * WORKERS)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        def timed(i):
            start = time.monotonic()
            run(roots[i], f"alone{i}")
            return time.monotonic() - start
        duration = sorted(pool.map(timed, range(2 * WORKERS)))[WORKERS]
    reference = {
        "prefix": prefix_listing(roots[0]),
        "store": {e: listing(f"{roots[0]}/store/{e}") for e in os.listdir(f"{roots[0]}/store")},
        "shims": sorted(os.listdir(f"{roots[0]}/shims")),
        "sizes": {file: sent for _, sent, _, file in answers("alone0")}}
    assert reference["shims"] and len(reference["sizes"]) == len(COMPONENTS.split(",")), reference["sizes"]
    check_whole(roots[1], reference)
    for root in roots:
        shutil.rmtree(root)
    return reference, duration


def main():
    mirror, folder, moments = sys.argv[1], sys.argv[2], int(sys.argv[3])
    server = serve(mirror, folder)
    reference, duration = learn(folder)
    pace = Pace(duration)
    reached = {}
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        # From the outside in, so that two neighbours in time are not of the same phase.
        jobs = {pool.submit(moment, folder, i, 1.1 * i / moments, pace, reference): i
                for i in (k // 2 if k % 2 else moments - 1 - k // 2 for k in range(moments))}
        for job in concurrent.futures.as_completed(jobs):
            try:
                word = job.result()
            except AssertionError as e:
                pool.shutdown(wait=True, cancel_futures=True)
                sys.exit(f"killed at part {jobs[job]} of {moments}: {e}")
            reached[word] = reached.get(word, 0) + 1
    server.stdin.close()
    print(f"an install takes {duration:.2f} to {pace.seconds:.2f} s; state at the kill: {reached}")


main()
