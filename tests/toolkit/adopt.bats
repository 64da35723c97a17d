#!/usr/bin/env bats
# Toolkits that other installers made, with real content: Debian's packages of 11.8, spread over /usr; wheels; conda.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }
setup() { redist_setup; }
teardown() { redist_teardown; }

# debian RELEASE: dpkg installs nvidia-cuda-toolkit and the others below a folder.
debian() {
	need "$1"
	local debs=${MIRROR%/*}/debs/$1 name=debian-$1 p before
	[ -d "$debs" ] && command -v dpkg >/dev/null || skip "no packages at hand"
	mkdir "$T/machine"
	# shellcheck disable=SC2046 # no blanks in these names
	(cd "$debs" && python3 "$BATS_TEST_DIRNAME/debian.py" "$ROOT/versions/$1" "$T/machine" \
		$(ls | grep -v 'libcufft\|libcupti'))
	grep -q '^#!' "$T/machine/usr/bin/nvcc" && [ -x "$T/machine/usr/bin/nvcc" ] || fail "no wrapper"
	before=$(find "$T/machine" -printf '%p %m %T@ %s\n' | sort | sha256sum)
	export CUDAENV_ROOT="$T/adopting"
	capture "$TOOLKIT" adopt "$CUDAENV_ROOT" "$T/machine"
	assert_status 0
	grep -qx "$name by package" <<<"$out" || fail
	p=$CUDAENV_ROOT/versions/$name
	[ "$(readlink -f "$p/bin/nvcc")" = "$T/machine/usr/lib/nvidia-cuda-toolkit/bin/nvcc" ]
	refute_exists "$p/bin/gcc"
	cudaenv verify "$name"
	assert_status 0
	assert_stdout "$name	compiled"
	cudaenv versions
	assert_stdout_has "-> $T/machine/usr (CUDA $1)"
	cp "$CUDAENV_KERNELS/hello.cu" .
	cudaenv exec "+$name" sh -c 'nvcc -v -arch=sm_75 -cudart shared -o hello hello.cu && ldd ./hello'
	assert_status 0
	grep -q "libcudart.* => $p/" <<<"$out" || fail "the loader takes another one"
	assert_stderr_has "TOP=$p/bin/.."
	cudaenv exec "+$name" nvcc -M hello.cu
	[[ $(sed 's/\\ / /g' <<<"$out") == *"$p/"*cuda_runtime.h* ]] || fail
	refute_stdout_has /usr/local
	[ "$(find "$T/machine" -printf '%p %m %T@ %s\n' | sort | sha256sum)" = "$before" ]
}

@test "Debian's nvidia-cuda-toolkit 11.8: adopted, complete, compiles, with the compiler that Debian chose" {
	command -v g++-11 >/dev/null || skip "no g++-11"
	debian 11.8.0
}

@test "Debian's nvidia-cuda-toolkit 12.4: adopted, complete, compiles" { debian 12.4.1; }

# The files of 13.0.2, laid out as NVIDIA's wheels and conda's packages have them.
@test "a tree of wheels and an environment of conda: adopted, complete, compile" {
	need 13.0.2
	local p=$ROOT/versions/13.0.2 site="$T/v/lib/python3.11/site-packages" env="$T/conda env" lib
	mkdir -p "$site/nvidia/cu13/lib" "$site/cuda_toolkit-13.0.2.dist-info" "$env/conda-meta" "$env/lib"
	cp -al "$p/bin" "$p/nvvm" "$site/nvidia/cu13"
	cp -al "$p/targets/x86_64-linux/include" "$site/nvidia/cu13/include"
	for lib in "$p"/lib64/lib*; do
		[[ -L $lib && $lib == *.so ]] || cp -al "$lib" "$site/nvidia/cu13/lib"
	done
	cp -al "$p/bin" "$p/nvvm" "$p/targets" "$env"
	touch "$env/conda-meta/cuda-toolkit-13.0.2-0.json" "$env/bin/python3"
	export CUDAENV_ROOT="$T/adopting"
	cudaenv adopt "$site/nvidia/cu13" "$env"
	assert_status 0
	[[ $out == "wheels-13.0.2  CUDA 13.0.2 (package)  "*"
conda-13.0.2   CUDA 13.0.2 (package)  "* && $out != *lacks* ]] || fail
	cudaenv verify --level compile wheels-13.0.2 conda-13.0.2
	assert_status 0
	assert_stdout "wheels-13.0.2	compiled
conda-13.0.2	compiled"
	cudaenv exec +wheels-13.0.2 sh -c 'readlink -f "$CUDA_HOME/lib64/libcudart.so"'
	assert_stdout_has "$site/nvidia/cu13/lib/libcudart.so.13"
}
