#!/usr/bin/env python3
"""Small cuDNN in the forms in which NVIDIA and users have it, for tests without a network.

    fakecudnn.py DIR VERSION FORM [--cuda 11,12] [--evil KIND] [--product NAME]

FORM: redist   DIR/cudnn/redist with manifest, archives of each CUDA variant and index page
      wheel    DIR/nvidia_cudnn_cuN-VERSION-py3-none-manylinux2014_x86_64.whl of each
      txz      DIR/cudnn-linux-x86_64-VERSION_cudaN-archive.tar.xz, as people download it
      tgz      DIR/cudnn-N-linux-x64-vVERSION.tgz, with cuda/include and cuda/lib64, as before 8.3
Headers and library names are those of cuDNN 7, 8 and 9. Libraries ask for the cuBLAS of their CUDA from 8 on.
KIND: noheader nolibrary noversion olderlibrary arm quiet (libraries do not say for which CUDA) html
NAME: cutensor (redist: no variants, libraries in lib/11 and lib/12; wheel: top folder cutensor), or any for redist
"""
import argparse
import gzip
import hashlib
import json
import os
import struct

import fakeredist
import fakewheels

COMPONENTS = {"cutensor": "libcutensor", "nvtiff": "libnvtiff"}


def library(cuda, machine, quiet):
    """As much of an ELF file as somebody looks at."""
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HH", 3, machine)
    major = cuda.split(".")[0]
    return head + b"\0" * 64 + (b"" if quiet or int(major) < 11 else b"cublasLt.so." + major.encode() + b"\0")


def numbers(prefix, version, last):
    names = (prefix + "_MAJOR", prefix + "_MINOR", prefix + last)
    return "".join("#define %s %s\n" % pair for pair in zip(names, version.split(".")))


def cudnn(version, cuda, evil, lib):
    """[(name, content)] below the top."""
    major = int(version.split(".")[0])
    three = ".".join(version.split(".")[:3])
    macros = numbers("CUDNN", version, "_PATCHLEVEL")
    files = []
    if evil != "noheader":
        if evil == "noversion":
            files.append(("include/cudnn.h", "int cudnn;\n"))
        elif major < 8:
            files.append(("include/cudnn.h", "#ifndef CUDNN_H_\n" + macros + "#endif\n"))
        else:
            files += [("include/cudnn.h", '#include "cudnn_version.h"\n'),
                      ("include/cudnn_version.h", "/* \\file */\n" + macros + "#define CUDNN_VERSION (CUDNN_MAJOR)\n")]
    parts = {7: [""], 8: ["", "_ops_infer", "_cnn_infer"], 9: ["", "_ops", "_graph"]}[major]
    if evil == "olderlibrary":
        three = "%d.0.1" % major
    for part in parts if evil != "nolibrary" else []:
        so = "libcudnn%s.so" % part
        files += [(lib + "/" + so + "." + three, library(cuda, 183 if evil == "arm" else 62, evil == "quiet")),
                  (lib + "/%s.%d" % (so, major), "-> %s.%s" % (so, three)),
                  (lib + "/" + so, "-> %s.%d" % (so, major))]
    return files + [("NVIDIA_SLA_cuDNN_Support.txt" if lib == "lib64" else "LICENSE", "terms")]


def other(product, version, cudas):
    title = product.upper()
    files = [("include/%s.h" % product, numbers(title, version, "_PATCH"))]
    for cuda in cudas:
        so = "lib/%s/lib%s.so" % (cuda, product)
        files += [(so + "." + version, library(cuda, 62, False)), (so, "-> lib%s.so.%s" % (product, version))]
    return files


def tar(top, files, packed):
    data = fakeredist.archive(top, [f for f in files if f[0] != "LICENSE"], 0, None, "xz")
    if packed == "gz":
        import lzma
        data = gzip.compress(lzma.decompress(data), mtime=0)
    return data


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def redist(opts, cudas):
    product, base = opts.product, os.path.join(opts.dir, opts.product, "redist")
    name = COMPONENTS.get(product, product)
    label = ".".join(opts.version.split(".")[:3])
    component = {"name": product, "license": "x", "version": opts.version}
    platform = {}
    variants = cudas if product == "cudnn" else [None]
    for cuda in variants:
        top = "%s-linux-x86_64-%s%s-archive" % (name, opts.version, "_cuda" + cuda if cuda else "")
        files = cudnn(opts.version, cuda, opts.evil, "lib") if cuda else other(product, opts.version, cudas)
        data = tar(top, files, "xz")
        path = "%s/linux-x86_64/%s.tar.xz" % (name, top)
        write(os.path.join(base, path), data)
        file = {"relative_path": path, "sha256": hashlib.sha256(data).hexdigest(),
                "md5": hashlib.md5(data).hexdigest(), "size": str(len(data))}
        if cuda:
            platform["cuda" + cuda] = file
        else:
            platform = file
    component["linux-x86_64"] = platform
    manifest = {"release_date": "2024-08-01", "release_label": label, "release_product": product, name: component}
    write(os.path.join(base, "redistrib_%s.json" % label), json.dumps(manifest, indent=4).encode())
    names = sorted(n for n in os.listdir(base) if n.startswith("redistrib_"))
    write(os.path.join(base, "index.html"), "".join("<a href='%s'>x</a>\n" % n for n in names).encode())


def wheel(opts, cuda):
    top = "nvidia/cudnn" if opts.product == "cudnn" else opts.product
    files = cudnn(opts.version, cuda, opts.evil, "lib") if opts.product == "cudnn" else \
        [(n.replace("lib/%s/" % cuda, "lib/"), d) for n, d in other(opts.product, opts.version, [cuda])]
    package = ("nvidia_cudnn_cu%s" if opts.product == "cudnn" else opts.product + "_cu%s") % cuda
    info = "%s-%s.dist-info" % (package, opts.version)
    out = []
    for name, data in files:
        # Wheels have no links: the library has the name by which it is loaded.
        data = data if isinstance(data, bytes) else data.encode()
        if data.startswith(b"-> ") or name == "LICENSE":
            continue
        if ".so." in name:
            name = name.partition(".so.")[0] + ".so." + opts.version.split(".")[0]
        out.append((top + "/" + name, data, 0o644))
    out += [(info + "/METADATA", ("Name: %s\n" % package).encode(), 0o644),
            (info + "/License.txt", b"terms", 0o644)]
    os.makedirs(opts.dir, exist_ok=True)
    path = os.path.join(opts.dir, "%s-%s-py3-none-manylinux2014_x86_64.whl" % (package, opts.version))
    fakewheels.write_wheel(path, info, out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("version")
    ap.add_argument("form")
    ap.add_argument("--cuda", default="12")
    ap.add_argument("--evil")
    ap.add_argument("--product", default="cudnn")
    opts = ap.parse_args()
    cudas = opts.cuda.split(",")
    if opts.form == "redist":
        return redist(opts, cudas)
    for cuda in cudas:
        if opts.form == "wheel":
            wheel(opts, cuda)
            continue
        old = opts.form == "tgz"
        top = "cuda" if old else "cudnn-linux-x86_64-%s_cuda%s-archive" % (opts.version, cuda)
        name = "cudnn-%s-linux-x64-v%s.tgz" % (cuda, opts.version) if old else top + ".tar.xz"
        files = cudnn(opts.version, cuda, opts.evil, "lib64" if old else "lib")
        page = b"<!DOCTYPE html>\n<html><title>Log in</title></html>\n"
        write(os.path.join(opts.dir, name), page if opts.evil == "html" else tar(top, files, "gz" if old else "xz"))


if __name__ == "__main__":
    main()
