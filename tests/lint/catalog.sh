#!/usr/bin/env bash
# share/versions.ini is what tools/gen-versions.py makes of tools/data.
set -eu
cd "${SOURCE_ROOT:-.}"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 tools/gen-versions.py --output - | diff -u share/versions.ini - || {
	echo "share/versions.ini is not what the facts say: run tools/gen-versions.py" >&2
	exit 1
}
