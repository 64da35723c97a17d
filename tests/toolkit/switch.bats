#!/usr/bin/env bats
# Two real toolkits from the package index of this machine, side by side, chosen by folder.

# shellcheck source=tests/cli/lib.bash
. "$TESTLIB"

# One root for all tests. 13.0.2 and the newest release that wheels have: $NEW.
setup_file() {
	local home=$HOME f
	export CUDAENV_CACHE_DIR=$TOOLKIT_WHEELS/../archives REAL_HOME=$home
	mkdir -p "$CUDAENV_CACHE_DIR"
	# What another test fetched by pip need not be fetched again.
	for f in "$TOOLKIT_WHEELS"/*.whl; do
		ln -f "$f" "$CUDAENV_CACHE_DIR/$(sha256sum "$f" | cut -d ' ' -f 1).${f##*/}" 2>/dev/null || :
	done
	export ROOT="$BATS_FILE_TMPDIR/the root"
	if ! CUDAENV_ROOT=$ROOT "$CUDAENV" install --profile minimal 13.0.2 latest >"$BATS_FILE_TMPDIR/out" \
		2>"$BATS_FILE_TMPDIR/err"; then
		cat "$BATS_FILE_TMPDIR/err" >&2
		grep -q 'cannot fetch\|cannot ask\|no package index' "$BATS_FILE_TMPDIR/err" || return 1
		export NO_INDEX=1
	fi
	chmod 755 "$BATS_FILE_TMPDIR"
}

setup() {
	[ -z "${NO_INDEX:-}" ] || skip "no package index can be reached"
	local cache=$CUDAENV_CACHE_DIR
	setup_root
	export CUDAENV_ROOT=$ROOT CUDAENV_CACHE_DIR=$cache PATH="$ROOT/shims:/usr/bin:/bin"
	NEW=$("$CUDAENV" latest)
	mkdir old new
	(cd old && "$CUDAENV" local 13.0)
	(cd new && "$CUDAENV" local "$NEW")
}

teardown() { teardown_root; }

@test "both installs were proved by their own nvcc" {
	[ "$NEW" != 13.0.2 ]
	cudaenv versions
	[ "$(grep -c compiled <<<"$out")" -eq 2 ] || fail
	cudaenv verify --all
	assert_status 0
}

@test "two folders, two compilers" {
	local old new
	old=$(cd old && nvcc --version)
	new=$(cd new && nvcc --version)
	[[ $old == *"release 13.0"* ]] || fail "$old"
	[[ $new == *"release ${NEW%.*}"* ]] || fail "$new"
	cd new
	[[ $(nvcc +13.0 --version) == "$old" ]]
	[[ $(CUDAENV_VERSION=13.0.2 nvcc --version) == "$old" ]]
	[[ $("$CUDAENV" exec +13.0 nvcc --version) == "$old" ]]
}

@test "what 13.0.2 compiled is what its own nvcc compiles" {
	cd old
	capture nvcc -cubin -arch=sm_75 -o a.cubin "$CUDAENV_KERNELS/hello.cu"
	assert_status 0
	capture "$ROOT/versions/13.0.2/bin/nvcc" -cubin -arch=sm_75 -o b.cubin "$CUDAENV_KERNELS/hello.cu"
	assert_status 0
	cmp a.cubin b.cubin
}

# A CMake project through the shim: the compiler, the headers and the libraries are those of PREFIX.
cmake_through_shim() {
	local P=$1 foreign
	cp "$CUDAENV_KERNELS/hello.cu" .
	cat >CMakeLists.txt <<-'EOP'
		cmake_minimum_required(VERSION 3.18)
		project(x CUDA)
		find_package(CUDAToolkit REQUIRED)
		add_executable(hello hello.cu)
		target_link_libraries(hello CUDA::cudart CUDA::nvrtc)
		target_link_options(hello PRIVATE LINKER:-Map=hello.map)
	EOP
	capture cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	assert_status 0
	capture cmake --build build
	assert_status 0
	foreign=$(
		grep -E '^LOAD .*lib(cu|nv)' build/hello.map | grep -vF "$P"
		for lib in "$P"/lib64/lib*.so "$P"/lib64/lib*.a; do
			grep -E "=/.*/$(basename "$lib")$" build/CMakeCache.txt | grep -vF "$P"
		done
		grep -E '^CUDAToolkit[A-Za-z_]*:[A-Z]*=/' build/CMakeCache.txt | grep -vF "$P" | grep -v librt
		ninja -C build -t deps | grep -E '/include/(cuda|crt/|nv/)' | grep -vF "$P"
	) || :
	[ -z "$foreign" ] || fail "$foreign"
	grep -q "^LOAD $P.*libcudart" build/hello.map || fail "no libcudart of the prefix in the link map"
}

@test "CMake through the shim finds each and nothing outside" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	(cd old && cmake_through_shim "$ROOT/versions/13.0.2")
	(cd new && cmake_through_shim "$ROOT/versions/$NEW")
}

@test "CMake in the environment of exec finds each and nothing outside" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	export PATH=/usr/bin:/bin
	cd new
	cp "$CUDAENV_KERNELS/hello.cu" .
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(x CUDA)' 'find_package(CUDAToolkit REQUIRED)' \
		'message(STATUS "root ${CUDAToolkit_ROOT_DIR} version ${CUDAToolkit_VERSION}")' >CMakeLists.txt
	cudaenv exec cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	assert_status 0
	assert_stdout_has "version ${NEW%.*}"
	grep -q "CMAKE_CUDA_COMPILER:.*=$ROOT/versions/$NEW/bin/nvcc" build/CMakeCache.txt
}

# configured WAY...: an empty CMake project with CUDA, in `build` of the working folder. Without FindCUDAToolkit, which
# may take what the profile lacks from elsewhere on this machine.
configured() {
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(x CUDA)' >CMakeLists.txt
	rm -rf build
	capture "$@" cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	assert_status 0
}

@test "a CMake cache of another version is told, also where its compiler is the shim" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	local way words="'build' is configured by CMake for CUDA 13.0.2, but $NEW is selected"
	cd old
	for way in env exec; do
		if [ $way = env ]; then configured env; else configured "$CUDAENV" exec; fi
		cudaenv exec true
		assert_stderr ""
		cudaenv exec "+$NEW" true
		assert_status 0
		assert_stderr_has "$words"
		CUDAENV_VERSION=$NEW capture "$CUDAENV_SHIM" hook bash
		assert_stdout_has "but $NEW is selected; hint: "
	done
	# What it says to run is right: CMake 3.24 and newer know --fresh, older ones do not.
	cudaenv exec "+$NEW" true
	if [[ $err == *"hint: cmake --fresh -G Ninja -B build,"* ]]; then
		cudaenv exec "+$NEW" cmake --fresh -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	else
		assert_stderr_has "hint: rm -r build/CMakeCache.txt build/CMakeFiles"
		rm -r build/CMakeCache.txt build/CMakeFiles
		cudaenv exec "+$NEW" cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	fi
	assert_status 0
	cudaenv exec "+$NEW" true
	assert_stderr ""
}

@test "doctor finds nothing wrong with what was installed" {
	local v code
	for v in 13.0.2 "$NEW"; do
		cudaenv exec "+$v" "$CUDAENV" --json doctor
		[ "$status" -le 1 ] || fail
		assert_stdout_has "\"release\": \"$v\""
		for code in NOT_SELECTED TREE_INCOMPLETE STORE_CHANGED ROOT_MOVED SHIM_FOREIGN PATH_FOREIGN_NVCC PATH_SHIM_LATE \
			VAR_STALE VAR_DISAGREE CCBIN_REFUSED CMAKE_CACHE_DRIFT; do
			refute_stdout_has "\"$code\""
		done
	done
}

@test "an nvcc that is stopped mid-way does not hurt: the store is read-only" {
	! find "$ROOT/store" -type f -perm /222 -print -quit | grep . || fail "writable files in the store"
	[ "$ROOT/versions/13.0.2/bin/ptxas" -ef "$(find "$ROOT/store" -path '*/tree/bin/ptxas' -samefile "$ROOT/versions/13.0.2/bin/ptxas")" ]
}

@test "offline: a third root is filled from the cache without a network" {
	export CUDAENV_ROOT="$T/third root"
	mkdir -p "$CUDAENV_ROOT"
	cudaenv install --offline --profile minimal 13.0.2
	assert_status 0
	assert_stderr_has "compiled"
	cudaenv uninstall 13.0.2
	assert_status 0
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
}
