# shellcheck shell=bash
# Sourced by what needs NVIDIA's wheels of 13.0.2: $wheels is a folder that has them, of $CUDAENV_TEST_WHEELS or the
# cache of the tests ($tests_cache), into which pip fetches what is missing. Else the script ends as skipped.

packages='nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
nvidia-cuda-cccl==13.0.85 nvidia-cuda-nvrtc==13.0.88 nvidia-nvptxcompiler==13.0.88 nvidia-cuda-culibos==13.0.85'

tests_cache=${CUDAENV_TESTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-tests}

have() { compgen -G "$1/$(tr - _ <<<"${2%%==*}")-${2##*==}-*x86_64.whl" >/dev/null; }

skip() {
	echo "1..0 # SKIP $*"
	exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "the toolkits of this test are for x86_64"
wheels=${CUDAENV_TEST_WHEELS:-}
if [ -z "$wheels" ]; then
	wheels=$tests_cache/wheels
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
