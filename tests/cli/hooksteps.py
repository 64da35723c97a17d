"""Prints steps for an interactive shell in an order that SEED decides, each with a question behind it.

usage: hooksteps.py SHELL SEED COUNT >lines
The question writes two lines to $T/log: the step and CUDA_HOME, and what the launcher says applies there ("none").
"""
import random
import sys

FOLDERS = ["$T/a", "$T/a/1", "$T/a/1/2", "$T/b", "$T/c", "$T/work", "$T", "/"]
PINS = ["12.4.1", "12.4", "12", "11.8.0", "11", "9.9.9", "system", "13.0 12.4", ">=12,<13", "latest", "99 system", "# none",
        "../x", "12.4.1 # why"]


def step(r, assign, unset):
    versions = "$CUDAENV_ROOT/versions"
    return r.choice(
        5 * ["cd " + r.choice(FOLDERS)]
        + ["pushd %s >/dev/null" % r.choice(FOLDERS), "popd >/dev/null 2>&1"]
        + 2 * ["echo '%s' >%s/.cuda-version" % (r.choice(PINS), r.choice(FOLDERS[:5]))]
        + ["rm -f %s/.cuda-version" % r.choice(FOLDERS[:5]),
           assign("CUDAENV_VERSION", r.choice(["11.8", "12.4.1", "9.9"])),
           unset("CUDAENV_VERSION"),
           r.choice([assign("VIRTUAL_ENV", "/venv"), unset("VIRTUAL_ENV")]),
           "cp -r %s/12.4.1 %s/12.4.10 2>/dev/null" % (versions, versions),
           "rm -rf %s/12.4.10" % versions,
           r.choice(["mv %s/11.8.0 $T/aside", "mv $T/aside %s/11.8.0"]) % versions + " 2>/dev/null",
           "echo %s >$CUDAENV_ROOT/version" % r.choice(["11.8", "12.4"]),
           "rm -f $CUDAENV_ROOT/version",
           "mv $T/c $T/c2 2>/dev/null; mkdir -p $T/c",
           "", "false"])


def main():
    shell, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    r = random.Random(seed)
    fish = shell == "fish"
    assign = (lambda k, v: f"set -gx {k} {v}") if fish else (lambda k, v: f"export {k}={v}")
    unset = (lambda k: f"set -e {k}") if fish else (lambda k: f"unset {k}")
    for i in range(count):
        print(step(r, assign, unset))
        print(f'echo "{i} $CUDA_HOME" >>$T/log; env "$SHIM" version >>$T/log 2>/dev/null'
              + ("; or echo none >>$T/log" if fish else " || echo none >>$T/log"))


main()
