#!/usr/bin/env bash
# The minimal toolkit from wheels in a local folder, beside what peers need to unpack the same wheels:
# tests/bench/wheels.sh [CUDAENV [ROUNDS]]. Ratios are medians of per-round ratios; rows rotate.
# WHEELS names the folder (default: below the user's cache; filled by pip at the first run, 217 MB); uv is
# taken from PATH or installed beside it. Nothing is removed before the end: ext4 is slow to give out inodes
# that were freed a moment ago, and would charge that to the next row.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
cudaenv=$(realpath "${1:-$here/../../build/src/cli/cudaenv}")
rounds=${2:-5}
version=13.0.2 files=1850
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-bench
wheels=${WHEELS:-$cache/wheels-$version}
python=${PYTHON:-/usr/bin/python3}

if ! ls "$wheels"/nvidia_nvvm-* >/dev/null 2>&1; then
	mkdir -p "$wheels"
	python3 -m pip download -q -d "$wheels" --only-binary=:all: \
		"cuda-toolkit[nvcc,nvvm,crt,cudart,cccl,nvrtc,nvptxcompiler,culibos]==$version"
fi
if [ ! -x "$cache/venv/bin/uv" ]; then
	"$python" -m venv "$cache/venv" 2>/dev/null || python3 -m venv "$cache/venv"
	"$cache/venv/bin/pip" install -q -U pip uv
fi
uv=$cache/venv/bin/uv pip=$cache/venv/bin/pip

T=$(mktemp -d)
trap 'chmod -R u+w "$T"; rm -rf "$T"' EXIT
mkdir "$T/home" "$T/index"
ln -s "$wheels"/*.whl "$T/index/"
archives=("$T"/index/nvidia_*.whl)

# Prints seconds, peak memory in MB and processor seconds of a command.
cat >"$T/measure.py" <<'P'
import os, sys, time
start = time.monotonic()
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.environ["LOG"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(1, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
status, use = os.wait4(pid, 0)[1:]
print("%.3f %d %.2f" % (time.monotonic() - start, use.ru_maxrss >> 10, use.ru_utime + use.ru_stime))
sys.exit(os.waitstatus_to_exitcode(status))
P
# A busy machine shall not decide: each row runs in a session of its own, ahead of the others where we may.
cat >"$T/ahead" <<'S'
#!/bin/sh
{ echo -20 >/proc/self/autogroup; } 2>/dev/null
exec nice -n -20 "$@" 2>/dev/null
S
chmod 755 "$T/ahead"
ahead=(setsid -w "$T/ahead")

clean() {
	env -i PATH=/usr/bin:/bin HOME="$T/home" LOG="$T/log" CUDAENV_CATALOG="$here/../../share/versions.ini" \
		CUDAENV_SHIM="$here/../../build/shims/cudaenv-shim" PIP_NO_INDEX=1 PIP_FIND_LINKS="$T/index" "$@"
}
install() {
	clean CUDAENV_ROOT="$1" CUDAENV_CACHE_DIR="$2" "${ahead[@]}" "$python" "$T/measure.py" \
		"$cudaenv" -q install --profile minimal --verify files --accept-eula "$version"
}

names=('uv pip install' 'pip install --no-deps' 'xargs -P2 unzip' 'cudaenv install' 'cudaenv install, in the cache')
run() {
	case $1 in
	0) clean "${ahead[@]}" "$python" "$T/measure.py" "$uv" -q pip install --link-mode copy --no-cache --no-deps \
		--no-index --python "$cache/venv/bin/python" --target "$2" "${archives[@]}" ;;
	1) clean "${ahead[@]}" "$python" "$T/measure.py" "$pip" -q install --no-deps --no-cache-dir --target "$2" \
		"${archives[@]}" ;;
	2) clean "${ahead[@]}" "$python" "$T/measure.py" xargs -a "$T/list" -P2 -n1 "$T/unzip" "$2" ;;
	3) install "$2" "$2/cache" ;;
	4) install "$2" "$T/warm" ;;
	esac
}
printf '%s\n' "${archives[@]}" >"$T/list"
# A folder for each: two of them making the same one at once is an error for unzip.
cat >"$T/unzip" <<'S'
#!/bin/sh
exec unzip -qq "$2" -d "$1/${2##*/}"
S
chmod 755 "$T/unzip"
mkdir "$T/root"
install "$T/root" "$T/warm" >/dev/null || { cat "$T/log"; exit 1; }

for ((r = 0; r < rounds; r++)); do
	for ((k = 0; k < ${#names[@]}; k++)); do
		i=$(((k + r) % ${#names[@]}))
		out=$T/$r.$i
		mkdir "$out"
		sync
		result=$(run $i "$out") || { cat "$T/log"; exit 1; }
		at=$out
		[ $i -lt 3 ] || at=$out/versions/$version
		n=$(find "$at" -type f | wc -l)
		[ "$n" -ge $files ] || { echo "${names[i]}: $n files only"; exit 1; }
		echo "$r $i $result" >>"$T/results"
	done
done

"$python" - "$T/results" "${names[@]}" <<'P'
import statistics, sys
rounds = {}
for line in open(sys.argv[1]):
    r, i, *values = line.split()
    rounds.setdefault(int(r), {})[int(i)] = [float(v) for v in values]
print("%-30s %8s %8s %8s %8s %8s" % ("row", "s", "/ uv", "/ pip", "cpu s", "peak MB"))
for i, name in enumerate(sys.argv[2:]):
    def median(get):
        return statistics.median(get(rows) for rows in rounds.values())
    print("%-30s %8.2f %8.2f %8.2f %8.2f %8d" % (
        name, median(lambda x: x[i][0]), median(lambda x: x[i][0] / x[0][0]), median(lambda x: x[i][0] / x[1][0]),
        median(lambda x: x[i][2]), max(rows[i][1] for rows in rounds.values())))
P
