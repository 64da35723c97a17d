#!/usr/bin/env python3
"""mkxz.py FOLDER: writes NAME.xz and, beside it, NAME with what is inside, for test_xz.c. Standard library only."""
import lzma
import os
import random
import struct
import sys
import zlib

RANDOM = random.Random(2)
TEXT = b"".join(b"line %d of %d\n" % (i, i * i % 977) for i in range(20000))
NOISE = RANDOM.randbytes(200000)


def mixed(n):
    """Text, noise, zeros and short patterns in turn, with matches that lie far back."""
    out, parts = bytearray(), [TEXT, NOISE, bytes(9000), b"ab" * 3000, b"abcdefghijklmnopq" * 900, bytes(range(256)) * 40]
    while len(out) < n:
        p = RANDOM.choice(parts)
        at = RANDOM.randrange(len(p))
        out += p[at : at + RANDOM.randrange(1, 40000)]
        if RANDOM.random() < 0.3 and len(out) > 1000:
            at = RANDOM.randrange(len(out) - 500)
            out += out[at : at + RANDOM.randrange(2, 400)]
    return bytes(out[:n])


def xz(data, check=lzma.CHECK_CRC64, **options):
    return lzma.compress(data, format=lzma.FORMAT_XZ, check=check,
                         filters=[{"id": lzma.FILTER_LZMA2, "preset": 1, **options}])


def retyped(packed, check):
    """As if its check were another one of the same length."""
    flags = bytes((0, check))
    head = flags + struct.pack("<I", zlib.crc32(flags))
    foot = packed[-8:-4] + flags
    return packed[:6] + head + packed[12:-12] + struct.pack("<I", zlib.crc32(foot)) + foot + packed[-2:]


def filtered(data, first):
    return lzma.compress(data, format=lzma.FORMAT_XZ, filters=[first, {"id": lzma.FILTER_LZMA2, "preset": 0}])


def all_files():
    some = mixed(600000)
    # Longer than dictionary and room together: goes round several times.
    long = mixed(9 << 20)
    yield "empty", b"", xz(b"")
    yield "byte", b"x", xz(b"x")
    yield "noise", NOISE, xz(NOISE)
    yield "zeros", bytes(5 << 20), xz(bytes(5 << 20))
    yield "long", long, xz(long, dict_size=4096)
    yield "long-16m", long, xz(long, dict_size=16 << 20)
    for lc, lp, pb in (0, 0, 0), (4, 0, 2), (0, 4, 4), (2, 2, 1), (3, 1, 0), (1, 3, 3):
        yield "props-%d%d%d" % (lc, lp, pb), some, xz(some, lc=lc, lp=lp, pb=pb, dict_size=1 << 16)
    for name, check in ("none", lzma.CHECK_NONE), ("crc32", lzma.CHECK_CRC32), ("sha256", lzma.CHECK_SHA256):
        yield "check-" + name, some, xz(some, check)
    # One that liblzma does not know is not looked at.
    yield "check-unknown", some, retyped(xz(some, lzma.CHECK_CRC32), 2)
    yield "streams", some, xz(some[:1000], lzma.CHECK_SHA256) + bytes(8) + xz(some[1000:300000]) + xz(b"") + xz(some[300000:]) + bytes(4)
    yield "streams-grow", long, b"".join(xz(long[at : at + (3 << 20)], dict_size=d) for at, d in
                                         ((0, 4096), (3 << 20, 8 << 20), (6 << 20, 1 << 16)))
    yield "fast", some, xz(some, mode=lzma.MODE_FAST, mf=lzma.MF_HC3, nice_len=5)
    yield "best", some, lzma.compress(some, preset=9 | lzma.PRESET_EXTREME)
    # liblzma's, since these are more than LZMA2.
    yield "delta", some, filtered(some, {"id": lzma.FILTER_DELTA, "dist": 4})
    yield "x86", some, filtered(some, {"id": lzma.FILTER_X86})


def main(out):
    os.makedirs(out)
    for name, inside, packed in all_files():
        for path, data in (name, inside), (name + ".xz", packed):
            with open(os.path.join(out, path), "wb") as f:
                f.write(data)


main(sys.argv[1])
