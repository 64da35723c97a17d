#!/usr/bin/env bats
# Debian's own packages of CUDA 11.8, whose files are spread over /usr, used as a version.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }
setup() { redist_setup; }
teardown() { redist_teardown; }

@test "Debian's nvidia-cuda-toolkit: adopted, complete, compiles, with the compiler that Debian chose" {
	need 11.8.0
	local debs=${MIRROR%/*}/debs/11.8.0 name p before
	[ -d "$debs" ] && command -v dpkg-deb >/dev/null || skip "no packages at hand"
	command -v g++-11 >/dev/null || skip "no g++-11"
	mkdir "$T/machine"
	# shellcheck disable=SC2046 # no blanks in these names
	(cd "$debs" && python3 "$BATS_TEST_DIRNAME/debian.py" "$ROOT/versions/11.8.0" "$T/machine" \
		$(ls | grep -v 'libcufft\|libcupti'))
	before=$(find "$T/machine" -printf '%p %m %T@ %s\n' | sort | sha256sum)
	export CUDAENV_ROOT="$T/adopting"
	capture "$TOOLKIT" adopt "$CUDAENV_ROOT" "$T/machine"
	assert_status 0
	grep -qx "debian-11.8.0 by package" <<<"$out" || fail
	p=$CUDAENV_ROOT/versions/debian-11.8.0
	[ "$(readlink -f "$p/bin/nvcc")" = "$T/machine/usr/lib/nvidia-cuda-toolkit/bin/nvcc" ]
	refute_exists "$p/bin/gcc"
	cudaenv verify debian-11.8.0
	assert_status 0
	assert_stdout "debian-11.8.0	compiled"
	cudaenv versions
	assert_stdout_has "-> $T/machine/usr (CUDA 11.8.0)"
	cp "$CUDAENV_KERNELS/hello.cu" .
	cudaenv exec +debian-11.8.0 sh -c 'nvcc -v -arch=sm_75 -cudart shared -o hello hello.cu && ldd ./hello'
	assert_status 0
	grep -q "libcudart.* => $p/" <<<"$out" || fail "the loader takes another one"
	assert_stderr_has "TOP=$p/bin/.."
	cudaenv exec +debian-11.8.0 nvcc -M hello.cu
	[[ $(sed 's/\\ / /g' <<<"$out") == *"$p/"*cuda_runtime.h* ]] || fail
	refute_stdout_has /usr/local
	[ "$(find "$T/machine" -printf '%p %m %T@ %s\n' | sort | sha256sum)" = "$before" ]
}
