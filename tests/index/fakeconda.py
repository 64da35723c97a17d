#!/usr/bin/env python3
"""Small conda packages with the content of fakeredist.py's archives, in a folder.

    fakeconda.py DIR LABEL [--old] [--evil KIND]

--old: format 1 (.tar.bz2), else .conda. KIND spoils cuda-cudart: inner (no zstd inside), deflated, nopkg, cut, dotdot
"""
import argparse
import io
import json
import os
import subprocess
import tarfile
import zipfile

from fakeredist import entry, parts

BUILD = "h1234567_0"


def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, text in files:
            entry(t, name, text)
    return out.getvalue()


def zstd(raw):
    return subprocess.run(["zstd", "-q", "-c"], input=raw, stdout=subprocess.PIPE, check=True).stdout


def package(folder, name, version, files, old, evil):
    stem = "%s-%s-%s" % (name, version, BUILD)
    info = [("info/index.json", json.dumps({"name": name, "version": version}))]
    if evil == "dotdot":
        files = files + [("../../../evil", "evil")]
    if old:
        raw = subprocess.run(["bzip2", "-c"], input=tar(info + files), stdout=subprocess.PIPE, check=True).stdout
        with open(os.path.join(folder, stem + ".tar.bz2"), "wb") as f:
            f.write(raw)
        return
    inner = b"no zstd at all" * 99 if evil == "inner" else zstd(tar(files))
    out = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if evil == "deflated" else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", how) as z:
        z.writestr("metadata.json", json.dumps({"conda_pkg_format_version": 2}))
        if evil != "nopkg":
            z.writestr("pkg-" + stem + ".tar.zst", inner)
        z.writestr("info-" + stem + ".tar.zst", zstd(tar(info)))
    data = out.getvalue()
    with open(os.path.join(folder, stem + ".conda"), "wb") as f:
        f.write(data[:len(data) // 2] if evil == "cut" else data)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("label")
    ap.add_argument("--old", action="store_true")
    ap.add_argument("--evil")
    opts = ap.parse_args()
    os.makedirs(opts.dir, exist_ok=True)
    for component, files in parts(opts.label).items():
        if component in ("cuda_nvcc", "cuda_cudart", "cuda_cccl", "cuda_crt", "libnvvm", "cuda_nvrtc"):
            evil = opts.evil if component == "cuda_cudart" else None
            name = {"libnvvm": "cuda-nvvm"}.get(component, component.replace("_", "-"))
            package(opts.dir, name, opts.label.rpartition(".")[0] + ".99", files, opts.old, evil)


if __name__ == "__main__":
    main()
