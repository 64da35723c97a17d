#!/usr/bin/env bash
# Other releases of clang-format would lay out some lines in another way.
set -eu
cd "${SOURCE_ROOT:-.}"
program=$(command -v clang-format-14 || command -v clang-format || :)
if [ -z "$program" ] || [[ $("$program" --version) != *'version 14.'* ]]; then
	echo 'clang-format 14 is not here'
	exit 77
fi
find src shims tests kernels \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
	xargs -0 "$program" --dry-run -Werror
