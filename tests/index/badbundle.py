#!/usr/bin/env python3
"""badbundle.py IN OUT KIND: a copy of a bundle with one thing wrong.

KIND: again (nothing wrong, as another tar writes it) dotdot absolute link hardlink fifo twice nomanifest badmanifest
      twomanifests nolist badlist missing extra digest size cut garbage
"""
import io
import json
import sys
import tarfile


def add(t, name, data=b"x", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    t.addfile(info, io.BytesIO(data) if info.isreg() else None)


def is_manifest(name):
    return name.split("/")[-1].startswith("redistrib_")


def changed(kind, name, data):
    """Its new content; None: it is left out."""
    cudart = "/cuda_cudart-" in name
    if (kind, is_manifest(name)) == ("nomanifest", True) or (kind, cudart) == ("missing", True):
        return None
    if kind == "badmanifest" and is_manifest(name):
        return b"<html>"
    if kind == "nolist" and name == "bundle.json":
        return None
    if kind == "badlist" and name == "bundle.json":
        return json.dumps({**json.loads(data), "format": 77}).encode()
    if kind == "digest" and cudart:
        return data[:100] + bytes([data[100] ^ 1]) + data[101:]
    if kind == "size" and cudart:
        return data + b"more"
    return data


def main(source, out, kind):
    if kind == "garbage":
        with open(out, "wb") as f:
            f.write(b"no tar at all " * 1000)
        return
    with tarfile.open(source) as s, tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as t:
        if kind == "again":
            add(t, "./cuda", b"", type=tarfile.DIRTYPE)
        for m in s:
            data = changed(kind, m.name, s.extractfile(m).read())
            if data is not None:
                add(t, ("./" if kind == "again" else "") + m.name, data, mtime=7)
            if kind == "twomanifests" and is_manifest(m.name) or kind == "twice" and "/cuda_cudart-" in m.name:
                add(t, m.name, data)
        extra = {"dotdot": ("cuda/../../evil", {}), "absolute": ("/tmp/evil", {}), "extra": ("cuda/NOTES", {}),
                 "link": ("cuda/link", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
                 "hardlink": ("cuda/link", {"type": tarfile.LNKTYPE, "linkname": "bundle.json"}),
                 "fifo": ("cuda/fifo", {"type": tarfile.FIFOTYPE})}.get(kind)
        if extra:
            add(t, extra[0], b"" if extra[1] else b"x", **extra[1])
    if kind == "cut":
        with open(out, "r+b") as f:
            f.truncate(f.seek(0, 2) - 12000)


main(*sys.argv[1:])
