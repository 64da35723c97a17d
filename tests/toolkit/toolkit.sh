#!/usr/bin/env bash
# Runs a .bats file where NVIDIA's wheels can be had: from $CUDAENV_TEST_WHEELS, or the cache of the tests,
# into which pip fetches what is missing. Else it is skipped, with the
# reason.
set -eu

packages='nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
nvidia-cuda-cccl==13.0.85 nvidia-cuda-nvrtc==13.0.88 nvidia-nvptxcompiler==13.0.88 nvidia-cuda-culibos==13.0.85'

have() { compgen -G "$1/$(tr - _ <<<"${2%%==*}")-${2##*==}-*x86_64.whl" >/dev/null; }

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "the wheels of this test are for x86_64"
wheels=${CUDAENV_TEST_WHEELS:-}
if [ -z "$wheels" ]; then
	wheels=${CUDAENV_TESTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-tests}/wheels
	mkdir -p "$wheels"
	for p in $packages; do
		have "$wheels" "$p" && continue
		tmp=$(mktemp -d "$wheels/.fetch.XXXXXX")
		python3 -m pip --isolated --version >/dev/null 2>&1 || skip "no pip, and '$wheels' lacks $p"
		python3 -m pip download -q --no-deps --only-binary :all: --platform manylinux_2_28_x86_64 \
			--platform manylinux2014_x86_64 --platform manylinux2010_x86_64 -d "$tmp" "$p" || {
			rm -rf "$tmp"
			skip "cannot fetch $p"
		}
		mv "$tmp"/*.whl "$wheels/"
		rmdir "$tmp"
	done
fi
for p in $packages; do
	have "$wheels" "$p" || skip "'$wheels' lacks $p"
done
TOOLKIT_WHEELS=$wheels exec bats --tap "$@"
