#!/usr/bin/env bash
# The table of commands, as the program prints it, and cudaenv(1) say the same: the same commands with the
# same arguments and options in the same order, the same environment variables and settings.
set -eu
cd "${SOURCE_ROOT:-.}"
bad=0
complain() {
	printf '%s\n' "$@"
	bad=1
}

# "command ARGS" lines, and below each one its long options, of one section of the manual's source.
from_manual() {
	awk '
		/^# / { on = ($0 == "# COMMANDS") }
		!on { next }
		function plain(s) { gsub(/[*_\\]/, "", s); return s }
		/^\*/ { print plain($0) }
		/^\t\*-/ { s = plain($0); sub(/^\t(-., )?/, "", s); print "\t" s }
	' man/cudaenv.1.scd
}

from_program() {
	local cmd text
	for cmd in $("$CUDAENV" commands); do
		text=$("$CUDAENV" help "$cmd")
		sed -n '1s/^usage: cudaenv //; 1s/ \[options\]//; 1p' <<<"$text"
		sed -n '/^Options:/,/^Global/s/^  \(-., \|    \)\(--[^ ]*\( [^ ]\+\)\?\)\($\|  .*\)/\t\2/p' <<<"$text"
	done
}

program=$(from_program)
manual=$(from_manual)
if [ "$program" != "$manual" ]; then
	complain 'the program (-) and man/cudaenv.1.scd (+) disagree:'
	diff -u <(printf '%s\n' "$program") <(printf '%s\n' "$manual") | tail -n +3 || :
fi

# Every variable that is read stands in the manual; internal ones begin as listed here.
variables=$(grep -rhoE '"CUDAENV_[A-Z_]+' src shims --include='*.[ch]' | tr -d '"' | sort -u)
for v in $variables; do
	case $v in
	CUDAENV_SAVED_* | CUDAENV_SHIM | CUDAENV_KERNELS) continue ;;
	esac
	grep -qrF "$v" man/*.scd || complain "$v is read but in no manual page"
done
while read -r v; do
	grep -qrF "$v" src shims || complain "$v is in a manual page but nothing reads it"
done < <(grep -ohE 'CUDAENV_[A-Z]+(_[A-Z]+)*' man/*.scd README.md | sort -u)

# Every setting has its entry, with the built-in value.
if "$CUDAENV" commands | grep -qx config; then
	for key in $("$CUDAENV" config list | sed -n 's/^\([a-z_]*\).*/\1/p'); do
		grep -q "^\*$key\* (" man/cudaenv.ini.5.scd || complain "setting $key is not in cudaenv.ini(5)"
	done
fi

# Every code of doctor.
while read -r code; do
	grep -q "$code" man/cudaenv.1.scd || complain "$code is in no manual page"
done < <(sed -n 's/^\t{"\([A-Z_]*\)", doctor_.*/\1/p' src/core/doctor.c)

# Version of the project.
version=$("$CUDAENV" --version)
grep -q "^## ${version##* }" NEWS.md || complain "NEWS.md says nothing of ${version##* }"
exit $bad
