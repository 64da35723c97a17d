#!/usr/bin/env bash
# Runs .bats files against a repository in the form of Debian's on this machine, with Debian's own packages of
# 11.8.0, 12.4.1 and 11.2.2 (tests/mirror/debs.sh), signed by a key of the tests. What cannot be had is skipped, with
# the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tests_cache=${CUDAENV_TESTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-tests}

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "the packages of this test are for x86_64"
for tool in gpg gpgv python3; do
	command -v $tool >/dev/null || skip "no $tool"
done
[ "$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $4 }')" -gt 2000000 ] ||
	skip "less than 2 GB of space in ${TMPDIR:-/tmp}"
why=$(bash "$here/../mirror/debs.sh" 11.8.0 "$tests_cache/debs" 2>&1) || skip "${why##*$'\n'}"

export DEBS LABEL=11.8.0 V=11.8
# Beside the packages, which are linked into it.
DEBS=$(mktemp -d "$tests_cache/repository.XXXXXX")
finish() {
	gpgconf --homedir "$DEBS/key" --kill gpg-agent 2>/dev/null || :
	chmod -R u+w "$DEBS"
	rm -rf "$DEBS"
}
trap finish EXIT
trap 'exit 1' TERM INT

fakedebs=$here/../index/fakedebs.py
python3 "$fakedebs" key "$DEBS/key"
python3 "$fakedebs" debian "$DEBS/repo" bookworm "$tests_cache/debs/$LABEL" --key "$DEBS/key"
for other in 12.4.1:trixie 11.2.2:bullseye; do
	if bash "$here/../mirror/debs.sh" "${other%:*}" "$tests_cache/debs" >"$DEBS/${other%:*}.why" 2>&1; then
		rm "$DEBS/${other%:*}.why"
		python3 "$fakedebs" debian "$DEBS/repo" "${other#*:}" "$tests_cache/debs/${other%:*}" --key "$DEBS/key"
	fi
done
bats --tap "$@"
