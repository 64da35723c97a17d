#!/usr/bin/env bash
# Runs .bats files where a GPU and an nvcc are: $TEST_NVCC, else that on PATH, else /usr/local/cuda's. Else they are
# skipped, with the reason.
set -eu
skip() {
	echo "1..0 # SKIP $*"
	exit 0
}
compgen -G '/dev/nvidia[0-9]*' >/dev/null || [ -e /dev/dxg ] || [ -e /dev/nvmap ] || skip "no GPU is here"
nvcc=${TEST_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || skip "no nvcc on PATH, and TEST_NVCC names none"
TOOLKIT=$(cd "$(dirname "$(realpath "$nvcc")")/.." && pwd)
GPU_TEMP=$(mktemp -d)
trap 'rm -rf "$GPU_TEMP"' EXIT
export TOOLKIT GPU_TEMP
bats --tap "$@"
