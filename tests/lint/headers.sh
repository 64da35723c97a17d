#!/usr/bin/env bash
# Each header compiles alone.
set -eu
cd "${SOURCE_ROOT:-.}"
bad=0
for h in $(find src shims -name '*.h' | sort); do
	# shellcheck disable=SC2086 # CC may hold options
	printf '#include "%s"\n' "${h#src/}" |
		${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only -I src -I . -x c - ||
		bad=1
done
exit $bad
