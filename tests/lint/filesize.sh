#!/usr/bin/env bash
# A file that needs 500 lines is two files.
set -eu
cd "${SOURCE_ROOT:-.}"
bad=0
while read -r lines file; do
	if [ "$lines" -ge 500 ]; then
		echo "$file: $lines lines, split it"
		bad=1
	elif [ "$lines" -gt 300 ]; then
		echo "$file: $lines lines"
	fi
done < <(find src shims \( -name '*.[ch]' -o -name '*.cpp' \) -exec wc -l {} + | grep -v ' total$' | sort -rn)
exit $bad
