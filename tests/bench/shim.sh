#!/usr/bin/env bash
# What the shim adds to the start of a tool, beside what peers add: tests/bench/shim.sh [SHIM [ROUNDS]]
# The tool is a dynamic program that returns 0. Ratios are medians of per-round ratios to its direct start;
# page faults, system calls and processes do not depend on the machine's mood. Peers that are not installed
# are left out; they run in trees of their own, with the same program behind them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shim=$(realpath "${1:-$here/../../build/shims/cudaenv-shim}")
rounds=${2:-300}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

# Variables of the caller slow some peers down; a Python or a compiler on PATH may itself be a shim.
exec_clean() {
	env -i PATH=/usr/bin:/bin HOME="$T" CUDAENV_ROOT="$T/root" PYENV_ROOT="$T/pyenv" RBENV_ROOT="$T/rbenv" "$@"
}

echo 'int main(void) { return 0; }' >"$T/tool.c"
cat >"$T/stub.c" <<'C'
#include <unistd.h>
int main(int argc, char **argv, char **env)
{
	argv[0] = TARGET;
	return execve(TARGET, argv, env);
}
C
cc -O2 -o "$T/tool" "$T/tool.c"
static=(-Os -static -no-pie -z noseparate-code -z norelro -s)
"$(command -v musl-gcc || command -v cc)" "${static[@]}" -DTARGET="\"$T/tool\"" -o "$T/stub" "$T/stub.c"
cc -O2 -D_GNU_SOURCE -o "$T/rounds" "$here/rounds.c"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$T/tool" >"$T/wrapper"
chmod 755 "$T/wrapper"

deep=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20
mkdir -p "$T/root/shims" "$T/exact/$deep" "$T/newest" "$T/py" "$T/rb"
for v in 11.8.0 12.4.0 12.4.1 12.6.3 13.0.2; do
	mkdir -p "$T/root/versions/$v/bin"
	cp "$T/tool" "$T/root/versions/$v/bin/tool"
done
ln "$shim" "$T/root/shims/tool" 2>/dev/null || cp "$shim" "$T/root/shims/tool"
echo 12.4.1 >"$T/exact/.cuda-version"
echo 12.4 >"$T/newest/.cuda-version"

names=() folders=() commands=()
row() {
	names+=("$1") folders+=("$2") commands+=("$3")
}
row 'direct' "$T/exact" "$T/tool"
row 'stub that only does execve' "$T/exact" "$T/stub"
row 'cudaenv' "$T/exact" "$T/root/shims/tool"
row 'cudaenv, file 5 up' "$T/exact/1/2/3/4/5" "$T/root/shims/tool"
row 'cudaenv, file 20 up' "$T/exact/$deep" "$T/root/shims/tool"
row 'cudaenv, 12.4 = newest of 5' "$T/newest" "$T/root/shims/tool"
row '#!/bin/sh exec' "$T/exact" "$T/wrapper"

# peer NAME PROGRAM FOLDER FILE: its rehash writes the path of the program it finds into the shim.
peer() {
	local name=$1 program=$2 folder=$3 file=$4
	[ -x "$program" ] || { echo "$name is not here" >&2; return 0; }
	mkdir -p "$T/$name/versions/1.0/bin"
	cp "$T/tool" "$T/$name/versions/1.0/bin/tool"
	echo 1.0 >"$T/$folder/$file"
	exec_clean PATH="$(dirname "$program"):/usr/bin:/bin" "$program" rehash
	row "$name $(exec_clean "$program" --version | awk '{print $2}')" "$T/$folder" "$T/$name/shims/tool"
}
peer pyenv "${PYENV:-$HOME/.pyenv/bin/pyenv}" py .python-version
peer rbenv "${RBENV:-$(command -v rbenv || echo /usr/bin/rbenv)}" rb .ruby-version

# measure ROUNDS INDEX...: one table of these rows.
measure() {
	local n=$1 args=() i
	shift
	for i; do args+=(${args[0]:+--} "${names[i]}" "${folders[i]}" "${commands[i]}"); done
	exec_clean "$T/rounds" "$n" "${args[@]}"
}
light=7
# shellcheck disable=SC2046
measure "$rounds" $(seq 0 $((light - 1)))
if [ ${#names[@]} -gt $light ]; then
	# Heavy rows leave cold caches behind: a table of their own, with its own direct row.
	echo
	# shellcheck disable=SC2046
	measure $((rounds / 20 + 3)) 0 2 $(seq $light $((${#names[@]} - 1)))
fi

command -v strace >/dev/null || exit 0
echo
printf '%-28s %8s %8s %8s\n' row syscalls execve forks
for i in "${!names[@]}"; do
	(cd "${folders[i]}" && exec_clean strace -f -qq -o "$T/trace" "${commands[i]}")
	printf '%-28s %8s %8s %8s\n' "${names[i]}" "$(grep -cv -E '\+\+\+|---|resumed' "$T/trace")" \
		"$(grep -cE 'execve.*= 0$' "$T/trace")" "$(grep -cE '(fork|clone3?)\(' "$T/trace" || :)"
done
