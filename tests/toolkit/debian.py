#!/usr/bin/env python3
"""A folder that stands for a machine on which Debian's packages of CUDA were installed.

    debian.py PREFIX FOLDER DEB...

dpkg itself installs them there, nvidia-cuda-toolkit with its wrappers among them, without what they depend on. Only
nvidia-cuda-dev, which takes a minute and 3 GB to unpack, is laid in by hand: its files are links into PREFIX, a toolkit
that was made of the same packages, and dpkg's status and list have what the package itself says.
"""
import os
import subprocess
import sys
import tarfile

LIB = "usr/lib/x86_64-linux-gnu/"


def control(deb):
    out = subprocess.run(["dpkg-deb", "-f", deb, "Package", "Source", "Version", "Architecture"],
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    with subprocess.Popen(["dpkg-deb", "--ctrl-tarfile", deb], stdout=subprocess.PIPE) as p:
        with tarfile.open(fileobj=p.stdout, mode="r|") as tar:
            for member in tar:
                if member.name == "./md5sums":
                    sums = tar.extractfile(member).read().decode()
                    return out, [line.split(None, 1)[1] for line in sums.splitlines()]
    return out, []


def source(prefix, path):
    """Where PREFIX has a file of a package."""
    if path.startswith("usr/include/"):
        return os.path.join(prefix, path[4:])
    if path.startswith(LIB + "libnvvm"):
        return os.path.join(prefix, "nvvm/lib64", path[len(LIB):])
    if path.startswith(LIB):
        return os.path.join(prefix, "lib64", path[len(LIB):])
    return None


def links(prefix, folder, files):
    """libX.so -> libX.so.N, which packages have and their sums do not list."""
    have = {os.path.basename(f) for f in files}
    lib = os.path.join(prefix, "lib64")
    for name in sorted(os.listdir(lib)):
        path = os.path.join(lib, name)
        if os.path.islink(path) and os.path.basename(os.path.realpath(path)) in have:
            if not os.path.lexists(os.path.join(folder, LIB, name)):
                os.symlink(os.readlink(path), os.path.join(folder, LIB, name))
                yield LIB + name


def install(folder, debs):
    for name in "info", "updates", "triggers":
        os.makedirs(os.path.join(folder, "var/lib/dpkg", name))
    for name in "status", "available":
        open(os.path.join(folder, "var/lib/dpkg", name), "w", encoding="utf-8").close()
    subprocess.run(["dpkg", "--root=" + os.path.abspath(folder), "--log=/dev/null", "--force-depends",
                    "--force-bad-path", "--force-not-root", "--install", *debs],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lay_in(prefix, folder, deb):
    fields, files = control(deb)
    name = fields.split()[1]
    os.makedirs(os.path.join(folder, LIB), exist_ok=True)
    for path in files:
        there = source(prefix, path)
        if there and os.path.exists(there):
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            os.link(os.path.realpath(there), os.path.join(folder, path))
    files += links(prefix, folder, os.listdir(os.path.join(folder, LIB)))
    folders = {os.path.dirname(f)[:i] for f in files for i in range(len(os.path.dirname(f)) + 1)
               if i == len(os.path.dirname(f)) or f[i] == "/"}
    with open(os.path.join(folder, "var/lib/dpkg/info", name + ":amd64.list"), "w", encoding="utf-8") as f:
        f.writelines("/" + p + "\n" for p in sorted(folders | set(files)))
    with open(os.path.join(folder, "var/lib/dpkg/status"), "a", encoding="utf-8") as f:
        f.write(fields + "Status: install ok installed\n\n")


def main():
    prefix, folder, *debs = sys.argv[1:]
    large = [d for d in debs if os.path.basename(d).startswith("nvidia-cuda-dev_")]
    install(folder, [d for d in debs if d not in large])
    for deb in large:
        lay_in(prefix, folder, deb)


main()
