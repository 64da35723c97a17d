#!/usr/bin/env python3
"""Adds up what the test runs of meson logged, down to the single case, shows what failed or was skipped,
and ends with the line 'N passed, N failed, N skipped'. Fails when a test failed or none passed.

usage: summary.py FOLDER [--failed=WHAT]... [--skipped=WHAT]...
"""
import json
import pathlib
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}


def tap(text):
    """Cases of a TAP stream: lists of names."""
    passed, failed, skipped = [], [], []
    for line in text.splitlines():
        m = re.match(r"(not )?ok\b\s*\d*\s*-?\s*(.*)", line)
        if not m:
            continue
        if m[1]:
            failed.append(m[2])
        elif re.search(r"#\s*skip", m[2], re.I):
            skipped.append(m[2])
        else:
            passed.append(m[2])
    return passed, failed, skipped


def cmocka(text):
    """Cases of a cmocka program by the line it writes for each."""
    passed = re.findall(r"^\[       OK \] (.*)$", text, re.M)
    failed = re.findall(r"^\[  (?:FAILED|ERROR ) *\] ([a-z0-9_]+)$", text, re.M)
    skipped = re.findall(r"^\[  SKIPPED \] ([a-z0-9_]+)$", text, re.M)
    return passed, sorted(set(failed)), sorted(set(skipped))


def cases(test):
    """What one test program stands for: (passed, failed, skipped), names in lists."""
    name, result = test["name"], test["result"]
    text = test.get("stdout", "") + "\n" + test.get("stderr", "")
    if result == "SKIP":
        words = text.strip().splitlines()
        return [], [], [words[-1] if words else "no reason given"]
    passed, failed, skipped = tap(test.get("stdout", ""))
    if not (passed or failed or skipped):
        passed, failed, skipped = cmocka(text)
    if result in GOOD:
        return passed or ([] if skipped else [name]), failed, skipped
    return passed, failed or [result.lower()], skipped


def main():
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for argument in sys.argv[2:]:
        kind, _, what = argument.lstrip("-").partition("=")
        if what:
            total[kind] += 1
            print(f"{kind}: {what}")
    for log in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        for line in log.read_text(errors="replace").splitlines():
            test = json.loads(line)
            passed, failed, skipped = cases(test)
            total["passed"] += len(passed)
            total["failed"] += len(failed)
            total["skipped"] += len(skipped)
            for what in skipped:
                print(f"skipped: {log.stem}: {test['name']}: {what}")
            for what in failed:
                print(f"FAILED: {log.stem}: {test['name']}: {what}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**total))
    sys.exit(1 if total["failed"] or not total["passed"] else 0)


main()
