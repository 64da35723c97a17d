#!/usr/bin/env python3
"""Small component archives in the shape of NVIDIA's redist folder, for a mirror that needs no network.

    fakeredist.py DIR LABEL [--evil KIND] [--plain] [--says LABEL] [--old] [--size BYTES] [--packed FORMAT]

Makes DIR/cuda/redist/redistrib_LABEL.json, the archives that it lists and an index page (--plain: right below
DIR). The nvcc inside is a script that answers --version, so installs from here are proved with --verify files.
The manifest has what the real ones have: sizes as strings, a driver, documents, other platforms, a component
for all of Linux; --old leaves out what those before 12.2 lack.
KIND makes the archive of cuda_nvrtc one that must be refused, or its manifest:
  dotdot absolute newline linkout hardout device twice includelink notar html cut badsize badsha badjson badpath nosha
"""
import argparse
import hashlib
import io
import json
import lzma
import os
import random
import subprocess
import tarfile

BIG = ("cuda_nvrtc", "linux-x86_64")
TOOLS = ("nvcc", "ptxas", "fatbinary", "nvlink", "cudafe++")


def parts(label):
    """component -> [(name, text)]; what changes its name or is split off with 13 is."""
    major = int(label.split(".")[0])
    script = "#!/bin/sh\necho \"%s of " + label + "\"\n"
    compiler = [("bin/" + t, script % t) for t in TOOLS]
    compiler += [("bin/nvcc.profile", "TOP = $(_HERE_)/..\n"), ("include/fatbinary_section.h", "/* %s */" % label)]
    crt = [("bin/crt/link.stub", "stub"), ("include/crt/host_config.h", "#if __GNUC__ > 99\n#endif\n")]
    nvvm = [("nvvm/bin/cicc", script % "cicc"), ("nvvm/libdevice/libdevice.10.bc", "BC " + label),
            ("nvvm/lib64/libnvvm.so.4.0.0", "ELF"), ("nvvm/lib64/libnvvm.so.4", "-> libnvvm.so.4.0.0"),
            ("nvvm/lib64/libnvvm.so", "-> libnvvm.so.4"), ("nvvm/include/nvvm.h", "/* */")]
    so = "libcudart.so.%d" % major
    out = {
        "cuda_nvcc": compiler + ([] if major >= 13 else crt + nvvm),
        "cuda_cudart": [("include/cuda_runtime.h", "/* %s */\n" % label), ("lib/" + so + ".1.2", "ELF " + label),
                        ("lib/" + so, "-> " + so + ".1.2"), ("lib/libcudart.so", "-> " + so),
                        ("lib/libcudart_static.a", "ar"), ("lib/libcudadevrt.a", "ar"),
                        ("lib/stubs/libcuda.so", "ELF stub"),
                        ("pkg-config/cudart-%s.pc" % label.rpartition(".")[0], "cudaroot=/usr/local/cuda\n")],
        "cuda_nvrtc": [("include/nvrtc.h", "/* %s */" % label), ("lib/libnvrtc.so.%d" % major, "ELF " + label)],
        "libcublas": [("include/cublas_v2.h", "/* %s */" % label), ("lib/libcublas.so.%d" % major, "ELF " + label)],
        "cuda_cupti": [("include/cupti.h", "/* */"), ("lib/libcupti.so.%d" % major, "ELF"), ("samples/a.cu", "/* */")],
        "cccl" if label >= "13.3" else "cuda_cccl": [("include/cuda/std/version", "same in all releases\n")],
        "cuda_documentation": [("EULA.txt", "terms"), ("DOCS", "words")],
        "nsight_compute": [("nsight-compute/2024.1.1/ncu", script % "ncu")],
        "nvidia_driver": [("lib/libcuda.so.1", "ELF driver")],
        "fabricmanager": [("bin/nv-fabricmanager", script % "fm")],
    }
    if major >= 13:
        out.update(cuda_crt=crt, libnvvm=nvvm, libnvptxcompiler=[("lib/libnvptxcompiler_static.a", "ar")],
                   cuda_culibos=[("lib/libculibos.a", "ar")])
    return out


def entry(t, name, text, **fields):
    info = tarfile.TarInfo(name)
    info.mtime = 1700000000
    data = text if isinstance(text, bytes) else text.encode()
    info.mode = 0o755 if data.startswith(b"#!") else 0o644
    if data.startswith(b"-> "):
        info.type, info.linkname, data = tarfile.SYMTYPE, data[3:].decode(), b""
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    t.addfile(info, io.BytesIO(data) if info.isreg() else None)


def add_evil(t, top, kind):
    bad = {
        "dotdot": (top + "/../../../evil", "evil", {}),
        "absolute": ("/tmp/evil-absolute", "evil", {}),
        "newline": (top + "/lib/a\nb", "evil", {}),
        "linkout": (top + "/lib/out", "-> ../../../evil", {}),
        "includelink": (top + "/include", "-> ../../victim", {}),
        "hardout": (top + "/lib/out", "", {"type": tarfile.LNKTYPE, "linkname": "../evil"}),
        "device": (top + "/lib/null", "", {"type": tarfile.CHRTYPE}),
        "twice": (top + "/LICENSE", "again", {}),
    }.get(kind)
    if bad:
        entry(t, bad[0], bad[1], **bad[2])


def pack(raw, how):
    if how == "xz":
        return lzma.compress(raw, preset=0)
    return subprocess.run([how, "-q", "-c"], input=raw, stdout=subprocess.PIPE, check=True).stdout


def archive(top, files, size, evil, how):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, text in [("LICENSE", "terms of " + top)] + files:
            if evil == "includelink" and name.startswith("include/"):
                continue
            entry(t, top + "/" + name, text)
        if size:
            entry(t, top + "/lib/libbig.so.1", random.Random(size).randbytes(size))
        add_evil(t, top, evil)
    data = {"notar": random.Random(3).randbytes(5000), "html": b"<!DOCTYPE html><title>x</title>" * 50}.get(evil)
    data = data or pack(out.getvalue(), how)
    return data[:-30] if evil == "cut" else data


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("label")
    ap.add_argument("--evil")
    ap.add_argument("--plain", action="store_true")
    ap.add_argument("--says", help="release_label, where it is not LABEL")
    ap.add_argument("--old", action="store_true")
    ap.add_argument("--size", type=int, default=0, help="random bytes in nvrtc, to make it large")
    ap.add_argument("--packed", default="xz", help="xz, gzip or zstd")
    opts = ap.parse_args()
    base = opts.dir if opts.plain else os.path.join(opts.dir, "cuda", "redist")
    manifest = {"release_date": "2024-04-03"}
    if not opts.old:
        manifest.update(release_label=opts.says or opts.label, release_product="cuda")
    for name, files in parts(opts.label).items():
        # Most components do not change with the patch release.
        version = "13.0.85" if name in ("cuda_cccl", "cccl") else opts.says or opts.label
        component = {"name": name.upper(), "license": "CUDA Toolkit", "version": version}
        for platform in ("linux-x86_64", "linux-sbsa", "windows-x86_64"):
            if name == "cuda_nvrtc" and platform == "windows-x86_64" or name == "nsight_compute" and "sbsa" in platform:
                continue
            top = "%s-%s-%s-archive" % (name, platform, version)
            evil = opts.evil if name == "cuda_nvrtc" else None
            data = archive(top, files, opts.size if (name, platform) == BIG else 0, evil, opts.packed)
            path = "%s/%s/%s.tar.xz" % (name, platform, top)
            full = os.path.join(base, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as f:
                f.write(data)
            digest = hashlib.sha256(data).hexdigest()
            component[platform] = {
                "relative_path": "../" + path if evil == "badpath" else path,
                "sha256": "0" * 64 if evil == "badsha" else digest,
                "md5": hashlib.md5(data).hexdigest(),
                "size": str(len(data) + (7 if evil == "badsize" else 0)),
            }
            if evil == "nosha":
                del component[platform]["sha256"]
        manifest[name] = component
    manifest["driver_assistant"] = {"name": "x", "version": "1", "linux-all": {
        "relative_path": "driver_assistant/source/a.tar.xz", "sha256": "1" * 64, "md5": "1" * 32, "size": "3"}}
    manifest["cuda_compat"] = {"name": "x", "version": "1", "linux-x86_64": {"cuda13.1": {
        "relative_path": "cuda_compat/a.tar.xz", "sha256": "1" * 64, "md5": "1" * 32, "size": "3"}}}
    text = json.dumps(manifest, indent=4)
    with open(os.path.join(base, "redistrib_%s.json" % opts.label), "w") as f:
        f.write(text[:-200] if opts.evil == "badjson" else text)
    names = sorted(n for n in os.listdir(base) if n.startswith("redistrib_"))
    with open(os.path.join(base, "index.html"), "w") as f:
        f.write("<html><body>" + "".join("<a href='%s'>%s</a><br>" % (n, n) for n in names) + "</body></html>")


if __name__ == "__main__":
    main()
