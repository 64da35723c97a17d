#!/usr/bin/env python3
"""A folder that stands for a machine on which Debian's packages of CUDA were installed.

    debian.py PREFIX FOLDER DEB...

nvidia-cuda-toolkit itself is unpacked. The files of the other packages, 4 GB, are links into PREFIX, an installed
toolkit that was made of the same packages. dpkg's status and lists say what the packages themselves say.
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
            os.symlink(os.readlink(path), os.path.join(folder, LIB, name))
            yield LIB + name


def main():
    prefix, folder, *debs = sys.argv[1:]
    info = os.path.join(folder, "var/lib/dpkg/info")
    os.makedirs(info)
    os.makedirs(os.path.join(folder, LIB))
    status = ""
    for deb in debs:
        fields, files = control(deb)
        name = fields.split()[1]
        status += fields + "Status: install ok installed\n\n"
        if name == "nvidia-cuda-toolkit":
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        for path in files:
            there = source(prefix, path)
            if there and os.path.exists(there):
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                if not os.path.exists(os.path.join(folder, path)):
                    os.link(os.path.realpath(there), os.path.join(folder, path))
        if name == "nvidia-cuda-dev":
            files += links(prefix, folder, [f for f in os.listdir(os.path.join(folder, LIB))])
        folders = {os.path.dirname(f)[:i] for f in files for i in range(len(os.path.dirname(f)) + 1)
                   if i == len(os.path.dirname(f)) or f[i] == "/"}
        with open(os.path.join(info, name + ":amd64.list"), "w", encoding="utf-8") as f:
            f.writelines("/" + p + "\n" for p in sorted(folders | set(files)))
    with open(os.path.join(folder, "var/lib/dpkg/status"), "w", encoding="utf-8") as f:
        f.write(status)


main()
