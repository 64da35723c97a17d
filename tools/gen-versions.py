#!/usr/bin/env python3
"""Makes share/versions.ini from the facts in tools/data. Same facts, same bytes.

  gen-versions.py                        write share/versions.ini
  gen-versions.py --output FILE          write FILE instead ("-": standard output)
  gen-versions.py add LABEL KEY=VALUE... add a release or change facts of one, then write;
                                         keys are the columns of releases.tsv, or manifest=FILE
                                         (a redistrib_LABEL.json: date, platforms and sha256)
  gen-versions.py wheels                 take over new versions from the output of
                                         "pip index versions cuda-toolkit" on standard input
  gen-versions.py refresh DIR            take over what DIR knows: manifests/index.tsv,
                                         manifests/cuda/*.json, runfiles.tsv, compat/driver.tsv,
                                         compat/host_compiler.tsv, compat/compute_capability.tsv

What the new input does not know stays as it was. Comments at the head of a file stay.
"""
import hashlib
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
DATA = TOP / "tools" / "data"
OUTPUT = TOP / "share" / "versions.ini"
ARCHES = ("x86_64", "sbsa", "aarch64", "ppc64le")
LINE_MAX = 197  # inih's buffer without the ends of line that it counts
UNKNOWN = "-"
LABEL = re.compile(r"\d+\.\d+\.\d+")

HEAD = """\
# Every CUDA release that is known; versions.ini(5) describes the keys.
# Made by tools/gen-versions.py from tools/data: change that, not this.
"""


def number(version):
    return tuple(int(p) for p in version.split("."))


def read_tsv(path):
    return [l.split("\t") for l in path.read_text().splitlines() if l and not l.startswith("#")]


class Table:
    """A tsv file: comments, one line of column names, rows; the first `keys` columns name a row."""

    def __init__(self, name, keys=1):
        self.path, self.keys = DATA / name, keys
        lines = self.path.read_text().splitlines()
        self.comments = [l for l in lines if l.startswith("#")]
        rows = read_tsv(self.path)
        self.columns = rows[0]
        self.rows = {}
        for row in rows[1:]:
            if len(row) != len(self.columns):
                sys.exit(f"{self.path}: {len(row)} columns in place of {len(self.columns)}: {row}")
            if tuple(row[:keys]) in self.rows:
                sys.exit(f"{self.path}: twice: {row[:keys]}")
            self.rows[tuple(row[:keys])] = dict(zip(self.columns, row))

    def update(self, key, **facts):
        row = self.rows.setdefault(key, dict.fromkeys(self.columns, UNKNOWN))
        row.update(zip(self.columns, key))
        for name, value in facts.items():
            if name not in self.columns:
                sys.exit(f"unknown column '{name}': {self.path.name} has {' '.join(self.columns)}")
            if value != UNKNOWN:
                row[name] = value

    def sorted(self):
        return [self.rows[k] for k in sorted(self.rows, key=lambda k: (number(k[0]), k[1:]))]

    def write(self):
        lines = self.comments + ["\t".join(self.columns)]
        lines += ["\t".join(row[c] for c in self.columns) for row in self.sorted()]
        self.path.write_text("\n".join(lines) + "\n")


class Facts:
    def __init__(self):
        self.releases = Table("releases.tsv")
        self.runfiles = Table("runfiles.tsv", keys=2)
        self.compilers = Table("compilers.tsv")
        self.compute = Table("compute.tsv")
        self.general = read_tsv(DATA / "general.tsv")

    def write(self):
        for table in (self.releases, self.runfiles, self.compilers, self.compute):
            table.write()


def older_value(rows, row, column, parts):
    """The row's own value, else that of the newest older release with the same first parts."""
    value = UNKNOWN
    for other in rows:
        same = number(other["label"])[:parts] == number(row["label"])[:parts]
        if same and other[column] != UNKNOWN:
            value = other[column]
        if other is row:
            return value


def release_section(facts, rows, row):
    label = row["label"]
    compilers = [c for c in facts.compilers.sorted() if number(c["from"]) <= number(label)]
    # A new major drops GPUs: what the one before had says nothing of it.
    compute = [c for c in facts.compute.sorted()
               if number(label)[:1] <= number(c["from"]) <= number(label)]
    pairs = {
        "date": row["date"],
        "platforms": " ".join(f"linux-{a}" for a in row["platforms"].split(","))
                     if row["platforms"] != UNKNOWN else UNKNOWN,
        "manifest_sha256": row["manifest_sha256"],
        # A later patch level without a row in the release notes has the need of the one before.
        "driver_min": older_value(rows, row, "driver_min", 2),
        "driver_floor": older_value(rows, row, "driver_floor", 1),
        "wheels": row["wheels"],
    }
    if compilers:
        pairs.update({k: v for k, v in compilers[-1].items() if k != "from"})
    if compute:
        pairs["sm"] = compute[-1]["sm"]
    for arch in ARCHES:
        runfile = facts.runfiles.rows.get((label, arch))
        if runfile:
            pairs[f"runfile.{arch}"] = runfile["path"]
            pairs[f"runfile.{arch}.sha256"] = runfile["sha256"]
            pairs[f"runfile.{arch}.md5"] = runfile["md5"]
    return [f"\n[{label}]"] + [f"{k} = {v}" for k, v in pairs.items() if v != UNKNOWN]


def versions_ini(facts):
    lines = [HEAD, "[catalog]"] + [f"{k} = {v}" for k, v in facts.general]
    rows = facts.releases.sorted()
    for row in rows:
        lines += release_section(facts, rows, row)
    for line in lines:
        if len(line) > LINE_MAX:
            sys.exit(f"this line is too long for inih: {line}")
    return "\n".join(lines) + "\n"


def manifest_facts(path, sha256=None):
    text = path.read_bytes()
    manifest = json.loads(text)
    nvcc = manifest["cuda_nvcc"]
    return {
        "date": manifest["release_date"],
        "platforms": ",".join(a for a in ARCHES if f"linux-{a}" in nvcc),
        "manifest_sha256": sha256 or hashlib.sha256(text).hexdigest(),
    }


def pin(digest, status):
    """The digest of the published manifest; one of a copy by hand proves nothing."""
    upstream = re.search(r"pinned upstream ([0-9a-f]{64})", status)
    if upstream:
        return upstream.group(1)
    return UNKNOWN if status.startswith("transcribed") else digest


def refresh(facts, source):
    for product, label, date, _, digest, status in read_tsv(source / "manifests" / "index.tsv"):
        if product != "cuda":
            continue
        known = {"date": date, "manifest_sha256": pin(digest, status)}
        path = source / "manifests" / "cuda" / f"redistrib_{label}.json"
        if path.exists():
            known.update(manifest_facts(path, known["manifest_sha256"]))
        facts.releases.update((label,), **known)
    for row in read_tsv(source / "runfiles.tsv")[1:]:
        label, arch, _, _, path, sha256, md5 = row[:7]
        path = re.sub(r"^([a-z.]+):", r"https://\1/", path)
        facts.releases.update((label,))
        facts.runfiles.update((label, arch), path=path, sha256=sha256, md5=md5)
    for row in read_tsv(source / "compat" / "driver.tsv")[1:]:
        label = row[0] if LABEL.fullmatch(row[0]) else row[0] + ".0"
        if (label,) in facts.releases.rows:  # the table also has releases that nobody offers
            facts.releases.update((label,), driver_min=row[3], driver_floor=row[5])
    for row in read_tsv(source / "compat" / "host_compiler.tsv")[1:]:
        facts.compilers.update((row[0],), **dict(zip(facts.compilers.columns[1:], row[1:5])))
    for row in read_tsv(source / "compat" / "compute_capability.tsv")[1:]:
        facts.compute.update((row[0],), sm=row[3].replace("sm_", ""))
    rows = facts.compute.sorted()
    for before, row in zip(rows, rows[1:]):
        if row["sm"] == before["sm"]:
            del facts.compute.rows[(row["from"],)]


def wheels(facts, text):
    found = re.search(r"^Available versions: (.*)$", text, re.M)
    if not found:
        sys.exit("standard input is not the output of 'pip index versions cuda-toolkit'")
    for version in found.group(1).split(", "):
        if re.fullmatch(r"\d+\.\d+\.\d+(\.\d+)?", version):
            facts.releases.update((LABEL.match(version).group(),), wheels=version)


def add(facts, label, words):
    if not LABEL.fullmatch(label):
        sys.exit(f"'{label}' is no label like 13.0.2")
    for word in words:
        key, sep, value = word.partition("=")
        if not sep or key == "label":
            sys.exit(f"'{word}' is not KEY=VALUE")
        known = manifest_facts(pathlib.Path(value)) if key == "manifest" else {key: value}
        facts.releases.update((label,), **known)


def main(args):
    if args == ["--help"]:
        return print(__doc__, end="")
    facts = Facts()
    if args == ["--output", "-"]:
        return sys.stdout.write(versions_ini(facts))
    if args[:1] == ["--output"] and len(args) == 2:
        return pathlib.Path(args[1]).write_text(versions_ini(facts))
    if args[:1] == ["add"] and len(args) > 2:
        add(facts, args[1], args[2:])
    elif args == ["wheels"]:
        wheels(facts, sys.stdin.read())
    elif args[:1] == ["refresh"] and len(args) == 2:
        refresh(facts, pathlib.Path(args[1]))
    elif args:
        sys.exit(__doc__)
    text = versions_ini(facts)
    facts.write()
    OUTPUT.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
