#!/usr/bin/env python3
"""mkzip.py FOLDER: writes the archives that the tests of zip, wheelrecord and store read.

Every byte is laid out by hand, since zipfile refuses to write what these tests need.
good-*: sound; bad-*: refused when opened; data-*: refused when read; wheel-*: sound zip files, judged as wheels.
"""
import base64
import hashlib
import os
import struct
import sys
import zlib

UNIX = 3
REG, DIR, LNK, CHR, FIFO = 0o100000, 0o040000, 0o120000, 0o020000, 0o010000


def deflate(data, level=6):
    c = zlib.compressobj(level, zlib.DEFLATED, -15)
    return c.compress(data) + c.flush()


class Entry:
    """What stands in the headers is right unless it is given."""

    def __init__(self, name, data=b"", mode=REG | 0o644, method=8, **lie):
        self.name = name.encode() if isinstance(name, str) else name
        self.data, self.mode, self.method, self.lie = data, mode, method, lie
        self.body = lie.get("body", deflate(data) if method == 8 else data)

    def fields(self, where):
        def get(key, true):
            return self.lie.get(where + key, self.lie.get(key, true))

        return {
            "name": get("name", self.name),
            "flags": get("flags", 0x800),
            "method": get("method_id", self.method),
            "crc": get("crc", zlib.crc32(self.data)),
            "packed": get("packed", len(self.body)),
            "size": get("size", len(self.data)),
            "extra": get("extra", b""),
        }

    def local(self):
        f = self.fields("local_")
        return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, f["flags"], f["method"], 0, 0x21, f["crc"],
                           f["packed"], f["size"], len(f["name"]), len(f["extra"])) \
            + f["name"] + f["extra"] + self.body + self.lie.get("after", b"")

    def central(self, offset):
        f = self.fields("central_")
        return struct.pack("<IBBHHHHHIIIHHHHHII", 0x02014B50, 20, UNIX, 20, f["flags"], f["method"], 0, 0x21,
                           f["crc"], f["packed"], f["size"], len(f["name"]), len(f["extra"]), 0,
                           self.lie.get("disk", 0), 0, self.mode << 16,
                           self.lie.get("offset", offset)) \
            + f["name"] + f["extra"]


def archive(entries, comment=b"", zip64=False, gap=b"", **lie):
    out, places = b"", []
    for e in entries:
        places.append(len(out))
        out += e.local()
    start = len(out)
    out += b"".join(e.central(p) for e, p in zip(entries, places)) + gap
    count = lie.get("count", len(entries))
    size = lie.get("dir_size", len(out) - start)
    place = lie.get("dir_offset", start)
    if zip64:
        at = len(out)
        out += struct.pack("<IQHHIIQQQQ", 0x06064B50, lie.get("size64", 44), 45, 45, 0, 0, count, count, size,
                           lie.get("dir_offset64", place))
        out += struct.pack("<IIQI", 0x07064B50, 0, lie.get("at64", at), 1)
        count, size, place = lie.get("count32", 0xFFFF), 0xFFFFFFFF, 0xFFFFFFFF
    return out + struct.pack("<IHHHHIIH", 0x06054B50, lie.get("disk", 0), 0, count, count, size, place,
                             lie.get("comment_len", len(comment))) + comment


def folder(name):
    return Entry(name, mode=DIR | 0o755, method=0)


def noise(n):
    """Bytes that deflate cannot shrink, the same ones each time."""
    out = b""
    while len(out) < n:
        out += hashlib.sha256(struct.pack("<Q", len(out))).digest()
    return out[:n]


TEXT = b"".join(b"line %d of a file that packs well\n" % i for i in range(4000))
BIG = (TEXT * 8 + noise(300000)) * 4


def good():
    descriptor = Entry("d/late", TEXT, flags=8, local_crc=0, local_packed=0, local_size=0)
    descriptor.lie["after"] = struct.pack("<IIII", 0x08074B50, zlib.crc32(TEXT), len(descriptor.body), len(TEXT))
    big64 = Entry("d/sixtyfour", TEXT, size=0xFFFFFFFF, packed=0xFFFFFFFF)
    big64.lie["extra"] = struct.pack("<HHQQ", 1, 16, len(TEXT), len(big64.body))
    yield "good-plain", archive([
        Entry("a/hello", b"hello\n"), Entry("a/empty"), Entry("a/stored", TEXT, method=0),
        Entry("a/b/c/d/deep", TEXT), Entry("a-b", b"x"), Entry("a/program", b"#!/bin/sh\n", mode=REG | 0o744),
        Entry("a/odd", b"odd", mode=REG | 0o6600), Entry("a/\u00e9t\u00e9", b"summer"), Entry("plain", b"p", mode=0),
    ])
    yield "good-folders", archive([folder("x/"), folder("x/y/"), Entry("x/y/z", b"z")])
    yield "good-empty", archive([])
    yield "good-comment", archive([Entry("a", b"a")], comment=b"PK\x05\x06 is no record here" + b"." * 60)
    yield "good-descriptor", archive([descriptor, Entry("e", b"e")])
    yield "good-zip64", archive([big64, Entry("e", b"e")], zip64=True)
    yield "good-big", archive([Entry("big", BIG), Entry("big.stored", BIG[:-1], method=0),
                               Entry("zero", b"\0" * 5000000), Entry("exact", BIG[:262144 * 2]),
                               Entry("page", BIG[:262144 + 4096])])
    yield "good-many", archive([Entry("f/%03d/%d" % (i % 100, i), b"%d\n" % i) for i in range(3000)])


def bad_names():
    for kind, name in {
        "absolute": "/etc/passwd", "dotdot": "a/../../b", "only-dotdot": "..", "dot": "a/./b", "double": "a//b",
        "backslash": "a\\..\\b", "newline": "a\nb", "escape": "a\x1b[2Jb", "delete": "a\x7f", "nul": "a\0b",
        "noname": "", "slash": "/", "latin1": b"caf\xe9", "overlong": b"a\xc0\xafb", "surrogate": b"a\xed\xa0\x80",
        "cut-utf8": b"a\xe2\x82", "longpart": "a" * 256, "longname": "/".join(["abcdefgh"] * 500),
    }.items():
        yield "bad-name-" + kind, archive([Entry("good", b"g"), Entry(name, b"x")])
    yield "bad-twice", archive([Entry("a/b", b"1"), Entry("c", b"2"), Entry("a/b", b"3")])
    yield "bad-file-folder", archive([Entry("a", b"1"), Entry("a-b", b"2"), Entry("a.c", b"2"), Entry("a/b", b"3")])
    yield "bad-file-and-folder", archive([Entry("a", b"1"), folder("a/")])
    for kind, mode in {"link": LNK | 0o777, "device": CHR | 0o644, "fifo": FIFO | 0o644}.items():
        yield "bad-kind-" + kind, archive([Entry("good", b"g"), Entry("x", b"../../etc/passwd", mode=mode)])
    yield "bad-kind-folder", archive([Entry("x", b"", mode=DIR | 0o755)])
    yield "bad-kind-file", archive([Entry("x/", b"", mode=REG | 0o755)])
    yield "bad-folder-content", archive([Entry("x/", b"x", mode=DIR | 0o755)])


def bad_entries():
    inner = Entry("inner", b"i").local()
    outer = Entry("outer", inner, method=0)
    head = 30 + len("outer")

    def one(kind, **lie):
        return "bad-" + kind, archive([Entry("good", b"g"), Entry("x", TEXT, **lie)])

    yield one("encrypted", flags=1)
    yield one("strong", flags=0x41)
    yield one("patch", flags=0x20)
    yield one("method", method_id=14)
    yield one("stored-sizes", method=0, size=5)
    yield one("4gib", size=0xFFFFFFFE)
    yield one("ratio", size=len(deflate(TEXT)) * 1033 + 5000)
    yield one("disk", disk=1)
    yield one("zip64-missing", size=0xFFFFFFFF)
    yield one("zip64-short", size=0xFFFFFFFF, extra=struct.pack("<HHI", 1, 4, 1))
    yield one("zip64-huge", size=0xFFFFFFFF, extra=struct.pack("<HHQ", 1, 8, 1 << 62))
    yield one("extra", size=0xFFFFFFFF, extra=struct.pack("<HH", 1, 200))
    yield one("local-name", local_name=b"y")
    yield one("local-length", local_name=b"xy")
    yield one("local-method", local_method_id=0)
    yield one("local-crc", local_crc=1)
    yield one("local-size", local_size=1)
    yield one("local-flags", local_flags=1)
    yield one("offset-outside", offset=0x7FFFFFFF)
    yield one("offset-wrong", offset=1)
    yield one("packed-outside", packed=0x7FFFFFFF, size=0x7FFFFFFF, local_packed=0xFFFFFFFF, local_size=0xFFFFFFFF)
    yield "bad-overlap", archive([outer, Entry("inner", b"i", offset=head, after=b"")])
    yield "bad-total", archive([Entry("n%d" % i, size=0xFFFFFFFE, packed=0x1000000, body=b"") for i in range(5)])


def bad_ends():
    sound = archive([Entry("a", TEXT), Entry("b", TEXT)])
    two = [Entry("a", b"a"), Entry("b", b"b")]
    yield "bad-end-nothing", b""
    yield "bad-end-html", b"<!DOCTYPE html><html><body>Please log in</body></html>" * 10
    yield "bad-end-cut", sound[:-30]
    yield "bad-end-head-cut", sound[40:]
    yield "bad-end-trailing", sound + b"trailing"
    yield "bad-end-comment", archive(two, comment=b"abc", comment_len=200)
    yield "bad-end-gap", archive(two, gap=b"gap")
    yield "bad-end-many", archive(two, count=3)
    yield "bad-end-few", archive(two, count=1)
    yield "bad-end-count", archive(two, count=60000)
    yield "bad-end-offset", archive(two, dir_offset=7)
    yield "bad-end-far", archive(two, dir_offset=0x70000000)
    yield "bad-end-size", archive(two, dir_size=0x70000000)
    yield "bad-end-parts", archive(two, disk=1)
    yield "bad-end-zip64-none", archive(two, count=0xFFFF)
    yield "bad-end-zip64-far", archive(two, zip64=True, at64=1 << 60)
    yield "bad-end-zip64-wrong", archive(two, zip64=True, at64=0)
    yield "bad-end-zip64-size", archive(two, zip64=True, size64=45)
    yield "bad-end-zip64-differs", archive(two, zip64=True, count32=7)
    yield "bad-end-zip64-offset", archive(two, zip64=True, dir_offset64=1 << 63)
    yield "bad-end-central", sound.replace(struct.pack("<I", 0x02014B50), b"PK\0\0")


def data():
    packed = deflate(TEXT)
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 0xFF
    far = b"\x03\x02\0\0"  # a fixed block: copy 3 bytes from 1 byte before the start

    def one(kind, **lie):
        return "data-" + kind, archive([Entry("good", b"g"), Entry("x", TEXT, **lie)])

    yield one("crc", crc=1)
    yield one("crc-stored", method=0, crc=1)
    yield one("longer", size=len(TEXT) - 1)
    yield one("shorter", size=len(TEXT) + 1)
    yield one("broken", body=bytes(broken))
    yield one("cut", body=packed[:-20])
    yield one("nothing", body=b"")
    yield one("behind", body=packed + b"0123456789")
    yield one("one-behind", body=packed + b"0")
    yield one("block-type", body=b"\x07" + packed)
    yield one("lookback", body=far, size=600)


def record(files, name, **lie):
    lines = []
    for f in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(f.data).digest()).rstrip(b"=").decode()
        shown = f.name.decode()
        if "," in shown or '"' in shown:
            shown = '"%s"' % shown.replace('"', '""')
        lines.append("%s,sha256=%s,%d" % (shown, digest, len(f.data)))
    lines.append(name + ",,")
    for change in lie.get("edit", []):
        lines = [x for line in lines for x in change(line)]
    return Entry(name, (lie.get("eol", "\n").join(lines) + lie.get("end", "\n")).encode("utf-8", "surrogateescape"))


def toolkit(lib):
    return [
        Entry("nvidia/__init__.py"), Entry("nvidia/cu13/__init__.py"), Entry("nvidia/cu13/.metadata/sizes", b"1"),
        Entry("nvidia/cu13/bin/nvcc", b"#!/bin/sh\necho nvcc\n", mode=REG | 0o744),
        Entry("nvidia/cu13/bin/nvcc.profile", b"TOP = $(_HERE_)/..\n"),
        Entry("nvidia/cu13/include/cuda.h", TEXT), Entry("nvidia/cu13/include/nvvm.h", b"nvvm"),
        Entry("nvidia/cu13/include/a, \"b\".h", b"quoted"), Entry("nvidia/cu13/include/crt/x.h", b"x"),
        Entry("nvidia/cu13/lib/libnvrtc.so.13", lib), Entry("nvidia/cu13/lib/libnvvm.so.4", b"so"),
        Entry("nvidia/cu13/nvvm/bin/cicc", b"#!/bin/sh\n", mode=REG | 0o755),
        Entry("fake-1.0.dist-info/licenses/License.txt", b"terms"), Entry("fake-1.0.dist-info/METADATA", b"Name: fake\n"),
    ]


def wheels():
    path = "fake-1.0.dist-info/RECORD"
    files, large = toolkit(TEXT), toolkit(BIG)

    def wheel(kind, extra=(), listed=files, packed=files, **lie):
        return "wheel-" + kind, archive(list(packed) + [record(listed, path, **lie)] + list(extra))

    def swap(old, new):
        return {"edit": [lambda line: [line.replace(old, new)]]}

    def only(text, new):
        return {"edit": [lambda line: new if text in line else [line]]}

    yield wheel("good", packed=large, listed=large)
    yield wheel("crlf", eol="\r\n", end="\r\n")
    yield wheel("no-newline", end="")
    yield wheel("signed", extra=[Entry(path + ".jws", b"{}"), Entry(path + ".p7s", b"x")])
    yield wheel("unlisted-self", **only("RECORD", []))
    yield "wheel-none", archive(files)
    yield "wheel-deep", archive(files + [record(files, "a/fake-1.0.dist-info/RECORD")])
    yield wheel("two", extra=[Entry("other-1.0.dist-info/RECORD", b"")])
    yield wheel("unlisted", packed=files + [Entry("nvidia/cu13/lib/libextra.so", b"x")])
    yield wheel("missing", listed=files + [Entry("nvidia/cu13/lib/libmissing.so", b"x")])
    yield wheel("size", **swap(",20", ",21"))
    yield wheel("no-size", **swap(",20", ","))
    yield wheel("sign", **swap(",20", ",+20"))
    yield wheel("twice", **only("cuda.h", ["nvidia/cu13/include/cuda.h,sha256=" + "A" * 43 + ",%d" % len(TEXT)] * 2))
    yield wheel("no-hash", **swap("sha256=", "sha1="))
    yield wheel("short-hash", **only("cuda.h", ["nvidia/cu13/include/cuda.h,sha256=abcd,%d" % len(TEXT)]))
    yield wheel("odd-hash", **only("cuda.h", ["nvidia/cu13/include/cuda.h,sha256=" + "A" * 42 + "+,%d" % len(TEXT)]))
    yield wheel("quote", **only("cuda.h", ['"nvidia/cu13/include/cuda.h,sha256=,1']))
    yield wheel("late-quote", **only("cuda.h", ['nvidia/cu13"/include/cuda.h,sha256=,1']))
    yield wheel("two-fields", **only("cuda.h", ["nvidia/cu13/include/cuda.h,sha256="]))
    yield wheel("four-fields", **only("cuda.h", ["nvidia/cu13/include/cuda.h,sha256=,1,2"]))
    yield wheel("nul", **only("cuda.h", ["nvidia/cu13/include/cuda.h\0,sha256=,1"]))
    yield wheel("empty-line", end="\n\n")
    yield wheel("clash", packed=files + [Entry("nvidia/cu13/lib64/libnvrtc.so.13", b"x")],
                listed=files + [Entry("nvidia/cu13/lib64/libnvrtc.so.13", b"x")])
    yield "wheel-empty", archive([Entry(path, b"")])


def main(folder_name):
    for source in good, bad_names, bad_entries, bad_ends, data, wheels:
        for name, content in source():
            with open(os.path.join(folder_name, name), "wb") as f:
                f.write(content)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
