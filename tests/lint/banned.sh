#!/usr/bin/env bash
# Calls that have no place here: no bound, no reentrance, a shell, or a race.
set -eu
cd "${SOURCE_ROOT:-.}"
bad=0
for f in $(find src shims -name '*.[ch]' -o -name '*.cpp' | sort); do
	# Strings and comments are taken out first.
	if sed 's/"\([^"\\]\|\\.\)*"/""/g; s|//.*||; s|/\*.*\*/||; s|^[[:space:]]*\*.*||; s|/\*.*||' "$f" |
		grep -nE '(^|[^A-Za-z0-9_>.])(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|system|popen|tmpnam|mktemp|gets)[[:space:]]*\(' |
		sed "s|^|$f:|" | grep .; then
		bad=1
	fi
done
exit $bad
