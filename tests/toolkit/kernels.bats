#!/usr/bin/env bats
# The programs that prove a GPU, compiled by every real nvcc at hand: those of the mirror, and those that
# $TEST_NVCC names (paths, a blank between).

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }
setup() { redist_setup; }
teardown() { redist_teardown; }

STRICT=(-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -Xptxas -warn-spills
	-gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90)

# compile PROGRAM [ARGUMENT...]: by $P/bin/nvcc to ./PROGRAM, as machine code and as PTX.
compile() {
	local program=$1
	shift
	"$P/bin/nvcc" "${STRICT[@]}" -o "$program" "$CUDAENV_KERNELS/$program.cu" "$@" >"$program.out" 2>&1 ||
		fail "$P: $program" "$(<"$program.out")"
	[ ! -s "$program.out" ] || fail "$P: $program" "$(<"$program.out")"
}

programs() {
	compile hello
	compile device
	compile bandwidth
	compile lib_nvrtc -lnvrtc -ldl
	local name
	for name in cublas cufft curand cudnn; do
		[ ! -f "$P/include/$name.h" ] && [ ! -f "$P/include/${name}_v2.h" ] || compile "lib_$name" "-l$name"
	done
}

@test "11.8, 12.4 and 13.0: each program compiles without a warning" { each programs; }

@test "further compilers at hand: each program compiles without a warning" {
	[ -n "${TEST_NVCC:-}" ] || skip "TEST_NVCC names none"
	local nvcc
	for nvcc in $TEST_NVCC; do
		P=${nvcc%/bin/nvcc}
		mkdir -p "$T/work/${P##*/}"
		cd "$T/work/${P##*/}"
		programs
	done
}

# A stub says what a machine without a driver, or one hidden from it, says: each program has the words for it.
says_call() {
	local program
	for program in hello device bandwidth; do
		compile "$program"
		capture "./$program"
		[ "$status" -ne 0 ] || skip "a GPU is here"
		assert_status 3
		assert_stdout_has "{\"test\": \"$program\", \"ok\": false, "
		assert_stdout_has '"call": "cudaGetDeviceCount", "code": '
		assert_stdout_has '"name": "cudaError'
	done
}

@test "without a GPU each program says which call failed, status 3" {
	need 13.0.2
	P=$ROOT/versions/13.0.2
	says_call
}

@test "what cannot be is refused, status 2" {
	need 13.0.2
	P=$ROOT/versions/13.0.2
	local words
	compile bandwidth
	compile lib_nvrtc -lnvrtc -ldl
	for words in --fast --device "--device x" "--device -1" "--max-bytes 0" "--max-bytes 99999999999" x; do
		# shellcheck disable=SC2086 # two words
		capture ./bandwidth $words
		assert_status 2
		assert_stderr_has "usage: bandwidth "
		LD_LIBRARY_PATH=$P/lib64 capture ./lib_nvrtc $words y
		assert_status 2
	done
}
