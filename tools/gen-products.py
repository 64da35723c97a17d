#!/usr/bin/env python3
"""Writes share/products.tsv: which releases of the libraries beside the toolkit are known, and for which CUDA.

    gen-products.py                         from tools/data/products.tsv
    gen-products.py manifests DIR INDEX     adds to tools/data/products.tsv what DIR/<product>/redistrib_<label>.json say;
                                            INDEX: table with product, label, sha256 and whether that is the published one
    gen-products.py wheels NAME VERSION...  marks cuDNN releases (NAME nvidia-cudnn-cuN) that an index has as wheels

Rows of tools/data/products.tsv: product, label, version, CUDA numbers, sources, sha256 of the published manifest.
"""
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DATA = os.path.join(ROOT, "tools", "data", "products.tsv")
OUT = os.path.join(ROOT, "share", "products.tsv")
HEAD = "# product label version cuda sources manifest_sha256; made by tools/gen-products.py from tools/data/products.tsv\n"


def key(row):
    return row["product"], [int(n) for n in row["label"].split(".")]


def read(path):
    rows = {}
    with open(path) as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            product, label, version, cuda, sources, sha256 = line.rstrip("\n").split("\t")
            rows[product, label] = {"product": product, "label": label, "version": version, "cuda": cuda,
                                    "sources": sources, "sha256": sha256}
    return rows


def head(path):
    with open(path) as f:
        return "".join(line for line in f if line.startswith("#"))


def write(path, start, rows):
    with open(path, "w") as f:
        f.write(start)
        for r in sorted(rows.values(), key=key):
            f.write("\t".join((r["product"], r["label"], r["version"], r["cuda"], r["sources"], r["sha256"])) + "\n")


def numbers(cuda):
    return sorted(set(cuda) - {"-"}, key=lambda n: [int(p) for p in n.split(".")])


def merge(rows, product, label, version, cuda, source, sha256="-"):
    r = rows.setdefault((product, label), {"product": product, "label": label, "version": "-", "cuda": "-",
                                           "sources": "-", "sha256": "-"})
    if version != "-":
        r["version"] = version
    r["cuda"] = " ".join(numbers(r["cuda"].split() + list(cuda))) or "-"
    r["sources"] = " ".join(sorted(set(r["sources"].split() + [source]) - {"-"})) or "-"
    if sha256 != "-":
        r["sha256"] = sha256


def add_manifests(rows, folder, index):
    for name in sorted(os.listdir(folder)):
        if name in ("cuda", "tensorrt") or not os.path.isdir(os.path.join(folder, name)):
            continue
        for file in os.listdir(os.path.join(folder, name)):
            label = re.fullmatch(r"redistrib_([0-9.]+)\.json", file).group(1)
            with open(os.path.join(folder, name, file)) as f:
                manifest = json.load(f)
            cuda, version = set(), "-"
            for component, o in manifest.items():
                if not isinstance(o, dict) or component.endswith("_samples"):
                    continue
                version = o["version"]
                for platform, files in o.items():
                    if platform.startswith("linux") and isinstance(files, dict) and "relative_path" not in files:
                        cuda |= {v[len("cuda"):] for v in files}
            merge(rows, name, label, version, cuda, "redist")
    with open(index) as f:
        for line in f:
            product, label, _, _, sha256, status = (line.rstrip("\n").split("\t") + [""] * 6)[:6]
            if product in ("#", "cuda", "product", "tensorrt") or not status:
                continue
            if label.count(".") == 3 and product == "cudnn":
                continue  # a second file of the same release
            if status.startswith(("verified", "NOT HERE")):
                merge(rows, product, label, "-", (), "redist", sha256)


def add_wheels(rows, name, versions):
    cuda = re.search(r"-cu(\d+)$", name).group(1)
    for version in versions:
        if re.fullmatch(r"\d+\.\d+\.\d+\.\d+", version):
            merge(rows, "cudnn", version.rpartition(".")[0], version, (cuda,), "wheels")


def main(argv):
    rows = read(DATA)
    if argv and argv[0] == "manifests":
        add_manifests(rows, argv[1], argv[2])
    elif argv and argv[0] == "wheels":
        add_wheels(rows, argv[1], argv[2:])
    elif argv:
        sys.exit(__doc__)
    if argv:
        write(DATA, head(DATA), rows)
    write(OUT, HEAD, rows)


main(sys.argv[1:])
