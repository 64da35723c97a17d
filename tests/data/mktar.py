#!/usr/bin/env python3
"""mktar.py FOLDER: writes the archives that the tests of unpack and of the store read.

good-*: sound; bad-*: refused, see test_unpack.c for what each one is refused for. Standard library only;
those that need a program (GNU tar for sparse files, zstd) are left out where it is missing.
"""
import bz2
import gzip
import io
import lzma
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib

TOP = "x-archive/"
TEXT = b"".join(b"line %d of a file that compresses well\n" % i for i in range(3000))
RANDOM = random.Random(1).randbytes(70001)


def info(name, data=b"", **fields):
    t = tarfile.TarInfo(name)
    t.size, t.mode, t.mtime = len(data), 0o644, 1700000000
    for key, value in fields.items():
        setattr(t, key, value)
    return t, data


def folder(name, **fields):
    return info(name, type=tarfile.DIRTYPE, **{"mode": 0o755, **fields})


def soft(name, target, **fields):
    return info(name, type=tarfile.SYMTYPE, linkname=target, **fields)


def hard(name, target):
    return info(name, type=tarfile.LNKTYPE, linkname=target)


def device(name, kind):
    return info(name, type=kind, devmajor=1, devminor=3)


def tar(*entries, format=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format, encoding="utf-8", errors="surrogateescape") as t:
        for header, data in entries:
            t.addfile(header, io.BytesIO(data))
    return out.getvalue()


def xz(data, **options):
    return lzma.compress(data, format=lzma.FORMAT_XZ, preset=0, **options)


def one(name, data=b"data", **fields):
    """A harmless file first, so that something is there already when the bad entry comes."""
    return tar(info(TOP + "bin/first", b"first"), info(name, data, **fields))


def with_size(text):
    """A file whose header claims more than follows: text is the 12 bytes of the size field."""
    raw = bytearray(tar(info(TOP + "big", b"some"), format=tarfile.USTAR_FORMAT))
    raw[124:136] = text
    raw[148:156] = b"        "
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return bytes(raw)


def base256(n):
    return b"\x80" + n.to_bytes(11, "big")


def sample():
    return [
        folder(TOP),
        folder(TOP + "bin/"),
        info(TOP + "bin/tool", b"#!/bin/sh\n", mode=0o755),
        folder(TOP + "include/"),
        info(TOP + "include/a.h", TEXT),
        info(TOP + "include/empty.h"),
        info(TOP + "lib/libx.so.1.2.3", RANDOM, mode=0o555),
        soft(TOP + "lib/libx.so.1", "libx.so.1.2.3"),
        soft(TOP + "lib/libx.so", "libx.so.1"),
        soft(TOP + "bin/a.h", "../include/./a.h"),
        hard(TOP + "lib/hard.so", TOP + "lib/libx.so.1.2.3"),
        info(TOP + "LICENSE", b"terms\n"),
    ]


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def sparse(size, format):
    with tempfile.TemporaryDirectory() as d:
        os.mkdir(d + "/x-archive")
        with open(d + "/x-archive/holes", "wb") as f:
            f.write(b"start")
            f.seek(size // 2)
            f.write(b"middle")
            f.truncate(size)
        run("tar", "-S", "--format=" + format, "-cf", d + "/t", "-C", d, "x-archive")
        with open(d + "/t", "rb") as f:
            return f.read()


def good():
    base = tar(*sample())
    yield "plain.tar", base
    yield "one-block.tar.xz", xz(base)
    yield "gz.tar.gz", gzip.compress(base, 1)
    yield "bz2.tar.bz2", bz2.compress(base, 1)
    yield "ustar.tar.xz", xz(tar(*sample(), format=tarfile.USTAR_FORMAT))
    yield "gnu.tar.xz", xz(tar(*sample(), format=tarfile.GNU_FORMAT))
    yield "streams.tar.xz", xz(base[:50000]) + xz(b"") + xz(base[50000:])
    yield "stream-padding.tar.xz", xz(base) + b"\0" * 8
    yield "crc32.tar.xz", xz(base, check=lzma.CHECK_CRC32)
    yield "no-check.tar.xz", xz(base, check=lzma.CHECK_NONE)
    yield "no-end.tar", base.rstrip(b"\0") + b"\0" * (-len(base.rstrip(b"\0")) % 512)
    yield "more-behind.tar.xz", xz(base + RANDOM * 40)
    with tempfile.TemporaryDirectory() as d:
        for command, name in ((["xz", "-0", "-T2", "--block-size=65536"], "blocks.tar.xz"), (["zstd", "-q"], "zst.tar.zst")):
            if shutil.which(command[0]):
                yield name, subprocess.run(command + ["-c"], input=base, stdout=subprocess.PIPE, check=True).stdout


def alone():
    """Sound too, but each with its own content."""
    yield "dots", tar(folder("./"), folder("./x-archive"), info("./x-archive/bin/tool", b"1"))
    yield "long", tar(info(TOP + "/".join(["d" * 60] * 5) + "/f", b"1"))
    yield "utf8", tar(info(TOP + "include/größe_文.h", b"1"))
    yield "modes", tar(
        folder(TOP + "closed", mode=0),
        info(TOP + "closed/f", b"1", mode=0),
        folder(TOP + "readonly", mode=0o555),
        info(TOP + "readonly/setid", b"1", mode=0o6755, uid=99999, gid=99999, uname="nobody-here"),
        info(TOP + "readonly/sticky", b"1", mode=0o1644),
        info(TOP + "readonly/none", b"1", mode=0o200),
    )
    yield "many", tar(*(info(TOP + "include/d%d/h%d.h" % (i % 40, i), b"%d" % i) for i in range(1700)))
    yield "folder-twice", tar(folder(TOP + "a"), folder(TOP + "a"), info(TOP + "a/f", b"1"))
    # Into a folder, out of it, and into those whose names begin alike.
    ways = ["a/b/c/f", "a/bc/f", "a/b/f", "a/f", "a/b/c/g", "ab/f", "f", "a/b/c/d/e/f", "a/b/c/de/f"]
    yield "folder-ways", tar(*(info(TOP + way, way.encode()) for way in ways))
    yield "dangling", tar(soft(TOP + "lib/a.so", "not-there.so"))
    yield "link-to-folder", tar(info(TOP + "include/a/b.h", b"1"), soft(TOP + "include/c", "a"))
    if shutil.which("tar"):
        yield "sparse", sparse(1 << 20, "gnu")
        yield "sparse-pax", sparse(1 << 20, "pax")


def bad():
    yield "name-absolute", one("/etc/victim")
    yield "name-dotdot", one("../victim")
    yield "name-dotdot-inside", one(TOP + "a/../../../victim")
    yield "name-dotdot-end", one(TOP + "a/..")
    yield "name-newline", one(TOP + "a\nb")
    yield "name-escape", one(TOP + "a\x1b[2Jb")
    yield "name-delete", one(TOP + "a\x7fb")
    yield "name-latin1", one(TOP + "gr\udcf6sse", pax_headers={})
    yield "name-overlong", tar(info(TOP + "a\udcc0\udcafb"), format=tarfile.GNU_FORMAT)
    yield "name-surrogate", tar(info(TOP + "a\udced\udca0\udc80b"), format=tarfile.GNU_FORMAT)
    yield "name-5000", one(TOP + "/".join(["d" * 99] * 50))
    yield "name-part-300", one(TOP + "p" * 300)
    yield "name-empty", one("")
    yield "twice", one(TOP + "bin/first")
    yield "twice-other-case-of-slash", one(TOP + "bin//first")
    yield "file-as-folder", one(TOP + "bin/first/below")
    yield "folder-as-file", one(TOP + "bin")
    yield "folder-on-file", tar(info(TOP + "a", b"1"), folder(TOP + "a"))
    yield "below-link", tar(soft(TOP + "a", "bin"), info(TOP + "a/f", b"1"))
    yield "link-below-link", tar(info(TOP + "bin/f", b"1"), soft(TOP + "a", "bin"), soft(TOP + "a/l", "f"))
    yield "link-on-file", tar(info(TOP + "a", b"1"), soft(TOP + "a", "b"))
    yield "file-on-link", tar(soft(TOP + "a", "b"), info(TOP + "a", b"1"))
    yield "link-twice", tar(soft(TOP + "a", "b"), soft(TOP + "a", "c"))
    yield "link-absolute", tar(soft(TOP + "include", "/tmp"), info(TOP + "include/x", b"1"))
    yield "link-out", tar(soft(TOP + "include", "../../victim"))
    yield "link-out-and-in", tar(soft(TOP + "a", "../../x-archive/bin"))
    yield "link-out-deep", tar(soft(TOP + "a/b/c", "../../../../victim"))
    yield "link-empty", tar(soft(TOP + "a", ""))
    yield "link-control", tar(soft(TOP + "a", "b\nc"))
    yield "link-long", tar(soft(TOP + "a", "b/" * 3000))
    yield "hard-out", tar(hard(TOP + "a", "../victim"))
    yield "hard-absolute", tar(hard(TOP + "a", "/etc/passwd"))
    yield "hard-missing", tar(hard(TOP + "a", TOP + "nothing"))
    yield "hard-before", tar(hard(TOP + "a", TOP + "b"), hard(TOP + "b", TOP + "c"), info(TOP + "c", b"1"))
    yield "hard-folder", tar(info(TOP + "bin/f", b"1"), hard(TOP + "a", TOP + "bin"))
    yield "hard-twice", tar(info(TOP + "a", b"1"), info(TOP + "b", b"2"), hard(TOP + "b", TOP + "a"))
    yield "device-char", tar(device(TOP + "null", tarfile.CHRTYPE))
    yield "device-block", tar(device(TOP + "disk", tarfile.BLKTYPE))
    yield "device-fifo", tar(device(TOP + "fifo", tarfile.FIFOTYPE))
    yield "size-petabyte", with_size(base256(1 << 50))
    yield "size-exabytes", with_size(base256((1 << 63) - 1))
    yield "size-negative", with_size(b"\xff" * 12)
    yield "size-8gib-pax", tar(info(TOP + "big", b"some", pax_headers={"size": str(9 << 30)}))
    yield "size-4gib", with_size(base256(4 << 30))
    yield "size-too-long-for-all", tar(info(TOP + "a", RANDOM * 20), info(TOP + "b", RANDOM * 20))
    yield "size-more-than-there", with_size(b"%011o\0" % 100000)
    if shutil.which("tar"):
        yield "sparse-8gb", sparse(8 << 30, "gnu")
        yield "sparse-8gb-pax", sparse(8 << 30, "pax")
    yield "kind-empty", b""
    yield "kind-3-bytes", b"abc"
    yield "kind-html", b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n" * 20
    yield "kind-html-xz", xz(b"<!DOCTYPE html>\n" * 100)
    yield "kind-random", RANDOM
    yield "kind-zip", b"PK\3\4" + bytes(26) + b"x" * 600
    yield "kind-cpio", b"070701" + b"0" * 104 + b"TRAILER!!!\0" + bytes(400)
    yield "xz-only-magic", b"\xfd7zXZ\0"
    yield "xz-nothing-inside", xz(b"")
    sound = xz(tar(*sample()))
    for name, at in ("head", 8), ("block-head", 14), ("data", len(sound) // 2), ("index", -20), ("foot", -6):
        broken = bytearray(sound)
        broken[at] ^= 0x40
        yield "xz-" + name, bytes(broken)
    yield "xz-garbage-behind", sound + b"garbage!"
    yield "xz-half-a-stream-behind", sound + sound[: len(sound) // 2]
    # A dictionary of 1.5 GiB, which would have to be there before the first byte comes out.
    yield "xz-dictionary", dictionary(sound)
    yield "gz-cut", gzip.compress(tar(*sample()))[:-4000]


def dictionary(sound):
    """It claims to need 1.5 GiB of memory: the filter's property and the header's CRC32 are changed."""
    raw = bytearray(sound)
    size = (raw[12] + 1) * 4
    assert raw[14] == 0x21 and raw[15] == 1
    raw[16] = 37
    raw[12 + size - 4 : 12 + size] = zlib.crc32(bytes(raw[12 : 12 + size - 4])).to_bytes(4, "little")
    return bytes(raw)


def main(out):
    os.makedirs(out, exist_ok=True)
    for kind, group in ("good-", good), ("alone-", alone), ("bad-", bad):
        for name, data in group():
            with open(os.path.join(out, kind + name), "wb") as f:
                f.write(data)


main(sys.argv[1])
