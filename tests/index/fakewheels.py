#!/usr/bin/env python3
"""Small wheels in the shape of CUDA's, for a package index that needs no network.

    fakewheels.py DIR LABEL [--evil KIND] [--platform TAG] [--size BYTES] [--no-nvcc] [--meta VERSION]

Makes cuda-toolkit (metapackage) and the eight wheels of the minimal set for LABEL, plus nvidia-cublas,
in DIR. The nvcc inside is a script that answers --version, so installs from here are proved with
--verify files. KIND makes nvidia-cuda-crt a wheel that must be refused:
  dotdot absolute backslash newline symlink device duplicate norecord badrecord shortrecord extra
  badcrc cutdir nodir encrypted bomb
"""
import argparse
import base64
import hashlib
import os
import stat
import zipfile

PACKAGES = {
    "nvidia-cuda-nvcc": [
        ("bin/nvcc", "#!/bin/sh\necho \"nvcc of {label}\"\n"), ("bin/nvcc.profile", "TOP = $(_HERE_)/..\n"),
        ("bin/ptxas", "#!/bin/sh\n"), ("bin/fatbinary", "#!/bin/sh\n"), ("bin/nvlink", "#!/bin/sh\n"),
        ("bin/cudafe++", "#!/bin/sh\n")],
    "nvidia-nvvm": [("nvvm/bin/cicc", "#!/bin/sh\n"), ("nvvm/libdevice/libdevice.10.bc", "BC {label}")],
    "nvidia-cuda-crt": [("bin/crt/link.stub", "stub"),
                        ("include/crt/host_config.h", "#if __GNUC__ > 99\n#endif\n")],
    "nvidia-cuda-runtime": [
        ("include/cuda_runtime.h", "/* {label} */\n"), ("lib/libcudart.so.13", "ELF {label}"),
        ("lib/libcudart_static.a", "ar"), ("lib/libcudadevrt.a", "ar")],
    "nvidia-cuda-cccl": [("include/cccl/cuda/std/version", "same in all releases\n")],
    "nvidia-cuda-nvrtc": [("include/nvrtc.h", "/* {label} */"), ("lib/libnvrtc.so.13", "ELF {label}")],
    "nvidia-nvptxcompiler": [("lib/libnvptxcompiler_static.a", "ar {label}")],
    "nvidia-cuda-culibos": [("lib/libculibos.a", "ar")],
    "nvidia-cublas": [("include/cublas_v2.h", "/* {label} */"), ("lib/libcublas.so.13", "ELF {label}")],
}
EXTRAS = {"nvidia-cuda-nvcc": "nvcc", "nvidia-nvvm": "nvvm", "nvidia-cuda-crt": "crt",
          "nvidia-cuda-runtime": "cudart", "nvidia-cuda-cccl": "cccl", "nvidia-cuda-nvrtc": "nvrtc",
          "nvidia-nvptxcompiler": "nvptxcompiler", "nvidia-cuda-culibos": "culibos",
          "nvidia-cublas": "cublas"}
# Does not change with the patch release, as most components do not.
FIXED = {"nvidia-cuda-cccl", "nvidia-cuda-culibos"}


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_wheel(path, info, files, evil=None):
    """files: (name, bytes, mode); evil: KIND of the module's text."""
    record = ["%s,%s,%d" % (n, digest(d), len(d)) for n, d, m in files]
    record.append("%s/RECORD,," % info)
    mode_link = stat.S_IFLNK | 0o777
    extra = {"dotdot": "nvidia/cu13/../../../../evil", "absolute": "/tmp/evil-absolute",
             "backslash": "nvidia\\..\\evil", "newline": "nvidia/cu13/lib/a\nb"}.get(evil)
    files = list(files)
    if extra:
        files.append((extra, b"evil", 0o644))
        record.insert(0, "\"%s\",%s,4" % (extra, digest(b"evil")))
    if evil == "symlink":
        files.append(("nvidia/cu13/include/link", b"../../../../etc", mode_link))
        record.insert(0, "nvidia/cu13/include/link,%s,15" % digest(b"../../../../etc"))
    if evil == "device":
        files.append(("nvidia/cu13/lib/null", b"", stat.S_IFCHR | 0o666))
        record.insert(0, "nvidia/cu13/lib/null,%s,0" % digest(b""))
    if evil == "duplicate":
        files.append(files[0])
    if evil == "badrecord":
        record[0] = "\"no end of this quote,"
    if evil == "shortrecord":
        record.pop(0)
    if evil == "extra":
        record.insert(0, "nvidia/cu13/include/missing.h,%s,3" % digest(b"abc"))
    if evil == "bomb":
        files.append(("nvidia/cu13/lib/big", b"\0" * (64 << 20), 0o644))
        record.insert(0, "nvidia/cu13/lib/big,%s,4" % digest(b"abcd"))
    if evil != "norecord":
        files.append((info + "/RECORD", ("\n".join(record) + "\n").encode(), 0o644))
    import warnings
    warnings.simplefilter("ignore")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data, mode in files:
            zi = zipfile.ZipInfo("x", (2020, 1, 1, 0, 0, 0))
            zi.filename = name
            zi.compress_type = zipfile.ZIP_DEFLATED
            zi.external_attr = (mode if mode > 0o777 else stat.S_IFREG | mode) << 16
            zi.create_system = 3
            z.writestr(zi, data)
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        if evil == "badcrc":
            data[14] ^= 1
            at = data.rfind(b"PK\x01\x02", 0, data.find(b"PK\x01\x02") + 4)
            data[at + 16] ^= 1
        elif evil == "cutdir":
            data = data[:-30]
        elif evil == "nodir":
            data = data[: data.find(b"PK\x01\x02")]
        elif evil == "encrypted":
            data[6] |= 1
            data[data.find(b"PK\x01\x02") + 8] |= 1
        f.seek(0)
        f.truncate()
        f.write(data)


def component(out, name, label, opts):
    version = "13.0.85" if name in FIXED else label + "1"
    under = name.replace("-", "_")
    info = "%s-%s.dist-info" % (under, version)
    files = []
    for rel, text in PACKAGES[name]:
        data = text.replace("{label}", label).encode()
        mode = 0o744 if data.startswith(b"#!") else 0o644
        files.append(("nvidia/cu13/" + rel, data, mode))
    if opts.size and name == "nvidia-cuda-nvrtc":
        files.append(("nvidia/cu13/lib/libnvrtc-builtins.so.13.0", os.urandom(opts.size), 0o644))
    files.append((info + "/METADATA", ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)).encode(), 0o644))
    files.append((info + "/WHEEL", b"Wheel-Version: 1.0\n", 0o644))
    evil = opts.evil if name == "nvidia-cuda-crt" else None
    write_wheel(os.path.join(out, "%s-%s-py3-none-%s.whl" % (under, version, opts.platform)), info, files, evil)
    return version


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("label")
    ap.add_argument("--evil")
    ap.add_argument("--platform", default="manylinux_2_17_x86_64")
    ap.add_argument("--size", type=int, default=0, help="random bytes in nvrtc, to make it large")
    ap.add_argument("--no-nvcc", action="store_true")
    ap.add_argument("--meta", help="version of the metapackage, where it is not LABEL")
    opts = ap.parse_args()
    os.makedirs(opts.dir, exist_ok=True)
    lines = ["Metadata-Version: 2.1", "Name: cuda-toolkit", "Version: " + (opts.meta or opts.label)]
    where = "(sys_platform == 'linux' and platform_machine == 'x86_64' or sys_platform == 'linux' and platform_machine == 'aarch64')"
    for name in PACKAGES:
        if opts.no_nvcc and name in ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt"):
            continue
        version = component(opts.dir, name, opts.label, opts)
        for extra in (EXTRAS[name], "all"):
            lines.append("Provides-Extra: " + extra)
            lines.append("Requires-Dist: %s==%s.*; %s and extra == '%s'" % (name, version, where, extra))
    info = "cuda_toolkit-%s.dist-info" % (opts.meta or opts.label)
    files = [(info + "/METADATA", ("\n".join(lines) + "\n").encode(), 0o644), (info + "/WHEEL", b"Wheel-Version: 1.0\n", 0o644)]
    write_wheel(os.path.join(opts.dir, "cuda_toolkit-%s-py2.py3-none-any.whl" % (opts.meta or opts.label)), info, files)


if __name__ == "__main__":
    main()
