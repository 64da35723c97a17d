#!/usr/bin/env python3
"""Small Debian packages in the shape of CUDA's, and apt repositories of packages, small or real.

    fakedebs.py toolkit FOLDER LABEL [--nvidia] [--evil KIND]   packages of a release
    fakedebs.py key HOME                                        a key to sign with; HOME/key.gpg and HOME/key.asc
    fakedebs.py debian REPO SUITE FOLDER... [OPTION...]         a suite of a distribution's mirror
    fakedebs.py flat REPO FOLDER... [OPTION...]                 packages beside their index

The nvcc inside is a script that answers --version, so installs from here are proved with --verify files.
--evil makes libnvrtc a package that must be refused:
  dotdot absolute linkout abslink device cut arsize noar nodata twice html
"""
import argparse
import email.utils
import gzip
import hashlib
import io
import lzma
import os
import random
import shutil
import subprocess
import tarfile
import time

TOOLS = "./usr/lib/nvidia-cuda-toolkit/"
LIBS = "./usr/lib/x86_64-linux-gnu/"
MAIN = ("libcu++-dev", "libcub-dev", "libthrust-dev")


def debian(label):
    """package -> (version, depends, [(name, text)])"""
    major, minor = label.split(".")[:2]
    v = "%s.%s.131~%s-2" % (major, minor, label)
    script = "#!/bin/sh\necho \"%s of " + label + "\"\n"
    so = "libcudart.so." + major
    doc = ("./usr/share/doc/x/copyright", "terms\n"), ("./usr/share/doc/x/changelog.gz", "words")
    return {
        "nvidia-cuda-toolkit": (v, "nvidia-cuda-dev (= %s), g++-11 | clang" % v, [
            ("./etc/nvcc.profile", "TOP = /usr\n"), (TOOLS + "bin/nvcc", script % "nvcc"),
            (TOOLS + "bin/nvcc.profile", "-> /etc/nvcc.profile"), (TOOLS + "bin/gcc", script % "gcc"),
            (TOOLS + "bin/cicc", script % "cicc"), (TOOLS + "bin/crt/link.stub", "stub"),
            (TOOLS + "libdevice/libdevice.10.bc", "BC " + label),
            (TOOLS + "compute-sanitizer/compute-sanitizer", script % "compute-sanitizer"),
            ("./usr/bin/compute-sanitizer", "-> ../lib/nvidia-cuda-toolkit/compute-sanitizer/compute-sanitizer"),
            ("./usr/bin/nvcc", "#!/bin/sh\nexit 3\n"), ("./usr/include/nvvm.h", "/* */")] +
            [("./usr/bin/" + t, script % t) for t in ("ptxas", "fatbinary", "nvlink", "cudafe++", "cuobjdump")]),
        "nvidia-cuda-dev": (v, "libcudart%s, libcu++-dev (>= 2.3~), libcub-dev, libthrust-dev" % major, [
            ("./usr/include/cuda_runtime.h", "/* %s */\n" % label), ("./usr/include/cublas_v2.h", "/* */"),
            ("./usr/include/fatbinary_section.h", "/* */"),
            ("./usr/include/crt/host_config.h", "#if __GNUC__ > 99\n#endif\n"),
            (LIBS + "libcudart_static.a", "ar"), (LIBS + "libcudadevrt.a", "ar"), (LIBS + "libculibos.a", "ar"),
            (LIBS + "libcublas_static.a", "ar of cublas"), (LIBS + "stubs/libcuda.so", "ELF stub"),
            (LIBS + "stubs/libcublas.so", "ELF stub"), (LIBS + "libcudart.so", "-> " + so),
            (LIBS + "libcublas.so", "-> libcublas.so." + major), (LIBS + "pkgconfig/cuda.pc", "prefix=/usr\n"), *doc]),
        "libcudart" + major: (v, "libc6", [(LIBS + so, "-> %s.1.2" % so), (LIBS + so + ".1.2", "ELF " + label), *doc]),
        "libnvvm4": (v, "", [(LIBS + "libnvvm.so.4", "-> libnvvm.so.4.0.0"), (LIBS + "libnvvm.so.4.0.0", "ELF")]),
        "libnvrtc" + major: (v, "", [(LIBS + "libnvrtc.so." + major, "ELF")]),
        "libnvrtc-builtins%s.%s" % (major, minor): (v, "", [(LIBS + "libnvrtc-builtins.so.%s.%s" % (major, minor), "ELF")]),
        "libcublas" + major: ("%s.4.5.8~%s-2" % (major, label), "", [(LIBS + "libcublas.so." + major, "ELF")]),
        "libcurand10": ("11.1.1+~10.3.5.147~%s-2" % label, "", [(LIBS + "libcurand.so.10", "ELF")]),
        "nvidia-cuda-toolkit-doc": (label + "-2", "", [("./usr/share/doc/cuda/index.html", "words")]),
        "nsight-compute": ("2024.1.1.4~%s-2" % label, "", [("./usr/lib/nsight-compute/ncu", script % "ncu")]),
        "libcu++-dev": ("2.3.2-2", "", [("./usr/include/cuda/std/version", "same\n"), ("./usr/include/nv/target", "t\n")]),
        "libcub-dev": ("2.3.2-2", "", [("./usr/include/cub/cub.cuh", "same\n")]),
        "libthrust-dev": ("2.3.2-2", "", [("./usr/include/thrust/version.h", "same\n")]),
        "hello": ("2.10-3", "", [("./usr/bin/hello", script % "hello")]),
    }


def nvidia(label):
    major, minor = label.split(".")[:2]
    end, top = "-%s-%s" % (major, minor), "./usr/local/cuda-%s.%s/" % (major, minor)
    lib = top + "targets/x86_64-linux/lib/"
    inc = top + "targets/x86_64-linux/include/"
    v = label + "-1"
    script = "#!/bin/sh\necho \"%s of " + label + "\"\n"
    return {
        "cuda-toolkit" + end: (v, "cuda-compiler%s (>= %s), cuda-libraries-dev%s (>= %s), libc6" % (end, label, end, label), []),
        "cuda-toolkit%s-config-common" % end: (v, "", [("./etc/ld.so.conf.d/x.conf", top)]),
        "cuda-compiler" + end: (v, "cuda-nvcc%s (>= %s)" % (end, v), []),
        "cuda-libraries-dev" + end: (v, "cuda-cudart-dev%s (>= %s), cuda-cccl%s, libcublas%s (>= %s)" % (end, v, end, end, v), []),
        "cuda-nvcc" + end: (v, "cuda-crt%s (>= %s), cuda-nvvm%s (>= %s)" % (end, v, end, v), [
            (top + "bin/nvcc.profile", "TOP = $(_HERE_)/..\n")] +
            [(top + "bin/" + t, script % t) for t in ("nvcc", "ptxas", "fatbinary", "nvlink", "cudafe++")] +
            [(inc + "fatbinary_section.h", "/* */")]),
        "cuda-crt" + end: (v, "", [(top + "bin/crt/link.stub", "stub"), (inc + "crt/host_config.h", "#if __GNUC__ > 99\n#endif\n")]),
        "cuda-nvvm" + end: (v, "", [(top + "nvvm/bin/cicc", script % "cicc"), (top + "nvvm/libdevice/libdevice.10.bc", "BC"),
                                   (top + "nvvm/lib64/libnvvm.so", "ELF")]),
        "cuda-cudart" + end: (v, "cuda-toolkit%s-config-common" % end, [(lib + "libcudart.so." + major, "ELF " + label)]),
        "cuda-cudart-dev" + end: (v, "cuda-cudart%s (>= %s), cuda-driver-dev%s" % (end, v, end), [
            (inc + "cuda_runtime.h", "/* */\n"), (lib + "libcudart_static.a", "ar"), (lib + "libcudadevrt.a", "ar"),
            (lib + "libcudart.so", "-> libcudart.so." + major), (top + "lib64", "-> targets/x86_64-linux/lib")]),
        "cuda-driver-dev" + end: (v, "", [(lib + "stubs/libcuda.so", "ELF stub")]),
        "cuda-cccl" + end: (v, "", [(inc + "cuda/std/version", "same\n")]),
        "libcublas" + end: (v, "", [(lib + "libcublas.so." + major, "ELF")]),
        "cuda-drivers": ("580.1-1", "", [("./usr/bin/nvidia-smi", script % "smi")]),
    }


def add(t, name, text, **fields):
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


def tar(files, evil=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        add(t, "./", "", type=tarfile.DIRTYPE, mode=0o755)
        for name, text in files:
            add(t, name, text)
        bad = {
            "dotdot": (LIBS + "../../../../evil", "evil", {}),
            "absolute": ("/usr/lib/evil-absolute", "evil", {}),
            "linkout": (LIBS + "out.so", "-> ../../../../evil", {}),
            "abslink": (LIBS + "out.so", "-> /etc/passwd", {}),
            "device": (LIBS + "null.so", "", {"type": tarfile.CHRTYPE}),
            "twice": (files[0][0] if files else "", "again", {}),
        }.get(evil)
        if bad:
            add(t, bad[0], bad[1], **bad[2])
    return out.getvalue()


def member(name, data, size=None):
    head = "%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o100644, len(data) if size is None else size)
    return head.encode() + data + b"\n" * (len(data) & 1)


def deb(path, name, version, arch, depends, files, evil=None):
    control = "Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: x <x@example.org>\nInstalled-Size: 1\n" % (
        name, version, arch)
    if name in MAIN or name == "hello":
        control += "Source: %s\n" % ("hello" if name == "hello" else "cccl")
    elif not name.startswith(("cuda-", "libcublas-")) and name != "nvidia-cuda-toolkit":
        control += "Source: nvidia-cuda-toolkit (%s)\n" % version.split("~")[-1]
    if depends:
        control += "Depends: %s\n" % depends
    control += "Description: small\n with a\n .\n second paragraph\n"
    data = lzma.compress(tar(files, evil), preset=0)
    parts = [member("debian-binary", b"2.0\n"),
             member("control.tar.gz", gzip.compress(tar([("./control", control)]), mtime=0)),
             member("data.tar.xz", data, 1 << 33 if evil == "arsize" else None)]
    if evil == "nodata":
        parts.pop()
    body = b"!<arch>\n" + b"".join(parts)
    body = {"cut": body[:-40], "noar": random.Random(3).randbytes(5000),
            "html": b"<!DOCTYPE html><title>x</title>" * 50}.get(evil, body)
    with open(path, "wb") as f:
        f.write(body)
    # What is damaged cannot say what it is.
    with open(path + ".control", "w", encoding="utf-8") as f:
        f.write(control)


def toolkit(opts):
    os.makedirs(opts.folder, exist_ok=True)
    for name, (version, depends, files) in (nvidia if opts.nvidia else debian)(opts.label).items():
        arch = "all" if name in MAIN else "amd64"
        path = os.path.join(opts.folder, "%s_%s_%s.deb" % (name, version, arch))
        deb(path, name, version, arch, depends, files, opts.evil if name.startswith("libnvrtc1") else None)


def control_of(path):
    """The fields of a package, real or small."""
    if os.path.exists(path + ".control"):
        with open(path + ".control", encoding="utf-8") as f:
            return f.read()
    with open(path, "rb") as f:
        f.seek(8)
        while head := f.read(60):
            size = int(head[48:58])
            if head.startswith(b"control.tar"):
                with tarfile.open(fileobj=io.BytesIO(f.read(size))) as t:
                    return t.extractfile("./control").read().decode()
            f.seek(size + (size & 1), 1)
    raise SystemExit("%s has no control file" % path)


def sha256(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            h.update(block)
    return h.hexdigest()


def stanza(path, name, opts):
    control = control_of(path)
    if opts.arch != "amd64":
        control = control.replace("Architecture: amd64", "Architecture: " + opts.arch)
    lies = "/libnvrtc1" in name
    size = os.path.getsize(path) + (7 if opts.lie == "size" and lies else 0)
    digest = "0" * 64 if opts.lie == "sha" and lies else sha256(path)
    if opts.lie == "name" and lies:
        name = "../" + name
    return control.rstrip("\n") + "\nFilename: %s\nSize: %d\nSHA256: %s\n\n" % (name, size, digest)


def packages(repo, below, folders, wanted, opts):
    text = ""
    os.makedirs(os.path.join(repo, below), exist_ok=True)
    for folder in folders:
        for file in sorted(os.listdir(folder)):
            if not file.endswith(".deb") or not wanted(file.split("_")[0]):
                continue
            name = os.path.join(below, file)
            source, target = os.path.join(folder, file), os.path.join(repo, name)
            if not os.path.exists(target):
                try:
                    os.link(source, target)
                except OSError:
                    shutil.copy(source, target)
            text += stanza(source, "./" + name if not below else name, opts)
    return text.encode()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def index(top, below, text, opts):
    """[(name below top, data)] of what Release lists."""
    out = []
    for end, data in ((".xz", lzma.compress(text, preset=0)), (".gz", gzip.compress(text, mtime=0)), ("", text)):
        if end == "" and opts.form or opts.form and not end.endswith(opts.form):
            continue
        name = os.path.join(below, "Packages" + end)
        kept = data if opts.lie != "packages" else data[:-1] + bytes([data[-1] ^ 1])
        write(os.path.join(top, name), kept)
        if not opts.no_hash:
            write(os.path.join(top, below, "by-hash/SHA256", hashlib.sha256(data).hexdigest()), kept)
        out.append((name, data))
    return out


def sign(home, *args):
    subprocess.run(["gpg", "--homedir", home, "--batch", "--yes", "--quiet", *args], check=True,
                   stderr=subprocess.DEVNULL)


def release(top, suite, files, opts):
    now = time.time()
    text = "Origin: Test\nSuite: %s\nCodename: %s\nDate: %s\n" % (suite, suite, email.utils.formatdate(now, usegmt=True))
    if opts.valid is not None:
        text += "Valid-Until: %s\n" % email.utils.formatdate(now + opts.valid * 86400, usegmt=True).replace("GMT", "UTC")
    text += "Architectures: all %s\nComponents: main non-free\n" % (opts.release_arch or opts.arch)
    if not opts.no_hash:
        text += "Acquire-By-Hash: yes\n"
    text += "SHA256:\n" + "".join(" %s %8d %s\n" % (hashlib.sha256(d).hexdigest(), len(d), n) for n, d in files)
    write(os.path.join(top, "Release"), text.encode())
    for name in ("InRelease", "Release.gpg"):
        if os.path.exists(os.path.join(top, name)):
            os.unlink(os.path.join(top, name))
    if not opts.key:
        return
    if opts.detached:
        sign(opts.key, "--armor", "--detach-sign", "-o", os.path.join(top, "Release.gpg"), os.path.join(top, "Release"))
    else:
        sign(opts.key, "--clearsign", "-o", os.path.join(top, "InRelease"), os.path.join(top, "Release"))


def make_debian(opts):
    top = os.path.join(opts.repo, "dists", opts.suite)
    files = []
    for component in ("main", "non-free"):
        text = packages(opts.repo, "pool/" + component, opts.folders,
                        lambda name, c=component: (name in MAIN or name == "hello") == (c == "main"), opts)
        files += index(top, component + "/binary-" + (opts.release_arch or "amd64"), text, opts)
    release(top, opts.suite, files, opts)


def make_flat(opts):
    text = packages(opts.repo, "", opts.folders, lambda name: True, opts)
    files = index(opts.repo, "", text, opts)
    if not opts.bare:
        release(opts.repo, "flat", files, opts)


def make_key(opts):
    os.makedirs(opts.home, mode=0o700, exist_ok=True)
    subprocess.run(["gpg", "--homedir", opts.home, "--batch", "--quiet", "--passphrase", "", "--quick-gen-key",
                    "Test Archive <archive@example.org>", "ed25519", "sign", "never"], check=True,
                   stderr=subprocess.DEVNULL)
    sign(opts.home, "--export", "-o", os.path.join(opts.home, "key.gpg"))
    sign(opts.home, "--armor", "--export", "-o", os.path.join(opts.home, "key.asc"))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    sub = ap.add_subparsers(required=True)
    t = sub.add_parser("toolkit")
    t.add_argument("folder")
    t.add_argument("label")
    t.add_argument("--nvidia", action="store_true")
    t.add_argument("--evil")
    t.set_defaults(run=toolkit)
    k = sub.add_parser("key")
    k.add_argument("home")
    k.set_defaults(run=make_key)
    for name, run in (("debian", make_debian), ("flat", make_flat)):
        r = sub.add_parser(name)
        r.add_argument("repo")
        if name == "debian":
            r.add_argument("suite")
        r.add_argument("folders", nargs="+")
        r.add_argument("--key", help="HOME of the key; unsigned without")
        r.add_argument("--detached", action="store_true", help="Release.gpg in place of InRelease")
        r.add_argument("--valid", type=int, help="days until it expires")
        r.add_argument("--arch", default="amd64", help="what the packages say they are for")
        r.add_argument("--release-arch", help="what Release says it is for")
        r.add_argument("--no-hash", action="store_true", help="no by-hash")
        r.add_argument("--form", help="only this form of Packages: xz, gz")
        r.add_argument("--bare", action="store_true", help="no Release at all (flat)")
        r.add_argument("--lie", help="packages: they are others than were signed; size, sha, name: of libnvrtc")
        r.set_defaults(run=run)
    opts = ap.parse_args()
    opts.run(opts)


if __name__ == "__main__":
    main()
