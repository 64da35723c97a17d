#!/usr/bin/env python3
"""Answers of agreement.bats on stdin ("TOOL<TAB>RELEASE<TAB>WAY<TAB>ANSWER" lines) as docs/agreement.md."""
import sys

WAYS = ["shim", "hook", "exec", "link"]
HEAD = """# Who finds which toolkit

Each tool below looks for CUDA in a way of its own. In a folder whose `.cuda-version` names a release, each was asked
which one it takes, with real toolkits: {releases}. The machine had another CUDA in
`/usr/local/cuda` and in the loader's folders besides, which must not be the answer.

| way | what the user has |
| --- | --- |
| shim | `shims` first on PATH, no variable: scripts, cron, `ssh host nvcc`, editors |
| hook | a bash that has read `cudaenv init bash` |
| exec | `cudaenv exec TOOL` |
| link | `/usr/local/cuda` led there by `cudaenv system-link` (here another path); PATH, LD_LIBRARY_PATH, CUDA_PATH name it |

"yes": the selected toolkit, in every release. Nothing is ever taken from another version of cudaenv.

| asked | {ways} |
| --- | {rules} |
"""
TAIL = """
What the shims alone cannot give: they run the tools, and set no variable. Who reads CUDA_HOME, the loader and pkg-config
need the hook, `exec`, or `system-link`. A program that nvcc links as it does by default has the runtime within and needs
nothing. ccache in front of a shim sees one compiler for all versions: cudaenv-shim(1) tells what it needs.

A toolkit that lacks a library, on a machine whose `/usr/local` or `/usr` has another CUDA's: its nvcc refuses the header
and the library, and names the component to add; with the hook and `exec` CMake's modules find that refusal in place of the
other one's library, so that the link stops with the same words (`tests/toolkit/lacks.bats`). With the file of
`cudaenv env --format cmake` as its toolchain file CMake finds none, which is for projects that can do without. A host
compiler that is called by hand looks in those folders unless the setting `compiler_paths` is `yes`. `exec` and the hook
look at CMake's cache and say what it took, and `doctor` names what would be taken from there (BUILD_TWO_CUDA).
`cudaenv component add` completes the toolkit, and the profile `default` is complete.

Written by `AGREEMENT=$PWD/docs/agreement.md meson test -C build mirror`.
"""


def main():
    answers, tools, releases = {}, [], []
    for line in sys.stdin.read().splitlines():
        tool, release, way, answer = line.split("\t")
        answers[tool, release, way] = answer
        tools.append(tool)
        releases.append(release)
    tools, releases = list(dict.fromkeys(tools)), list(dict.fromkeys(releases))
    print(HEAD.format(releases=", ".join(releases), ways=" | ".join(WAYS), rules=" | ".join("---" for _ in WAYS)), end="")
    for tool in tools:
        cells = []
        for way in WAYS:
            got = {r: answers.get((tool, r, way), "?") for r in releases}
            good = [r for r in releases if got[r] in ("this", "shim")]
            if len(good) == len(releases):
                cells.append("yes")
            elif not good:
                cells.append("none, and says so" if all(g.startswith("none") or "not found" in g for g in got.values()) else "none, or one of the machine's own whose number fits")
            else:
                cells.append(", ".join(good) + "; else none")
        print(f"| {tool} | {' | '.join(cells)} |")
    print(TAIL, end="")


main()
