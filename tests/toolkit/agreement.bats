#!/usr/bin/env bats
# Every tool that looks for CUDA finds the selected toolkit, in whatever way the user comes to it, or none.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"
# shellcheck source=tests/toolkit/agreement.bash
. "${BATS_TEST_FILENAME%/*}/agreement.bash"

# Those of the mirror, and the newest one that wheels have, where an index can be reached.
setup_file() {
	install_all
	local f cache=${MIRROR%/*}/archives
	export NEWEST=
	mkdir -p "$cache"
	if CUDAENV_CATALOG=$REAL_CATALOG CUDAENV_ROOT="$REDIST/the root" CUDAENV_CACHE_DIR=$cache CUDAENV_ACCEPT_EULA=1 \
		"$CUDAENV" install -q --source wheels --profile minimal latest >"$REDIST/out.latest" 2>"$REDIST/err.latest"; then
		NEWEST=$(CUDAENV_ROOT="$REDIST/the root" "$CUDAENV" latest)
	fi
}

# The root keeps what the other files of tests expect in it.
teardown_file() {
	[ -z "$NEWEST" ] || CUDAENV_ROOT="$REDIST/the root" "$CUDAENV" -q uninstall "$NEWEST"
}

setup() {
	redist_setup
	command -v cmake && command -v ninja && command -v pkg-config >/dev/null || skip "no cmake, ninja or pkg-config"
	export CUDAENV_ROOT=$ROOT FIRST=/bin/true LINK="$T/usr/local cuda"
	mkdir "$T/usr"
	"$CUDAENV" rehash
	write_questions
	RELEASES=(11.8.0 12.4.1 13.0.2)
	local r lacking=
	for r in "${RELEASES[@]}"; do
		in_mirror "$r" || lacking+="the mirror has no $r "
		compiles_here "$r" || lacking+="$refusal "
	done
	[ -z "$lacking" ] || skip "$lacking"
	[ -z "$NEWEST" ] || RELEASES+=("$NEWEST")
}

teardown() { redist_teardown; }

# program LABEL: a program of that release whose runtime is shared, and which says which one was loaded.
program() {
	FIRST="$T/first.$1"
	[ ! -x "$FIRST" ] || return 0
	cat >"$T/first.cpp" <<-'EOS'
		#include <cstdio>
		#include <cstring>
		#include <cuda_runtime.h>
		int main()
		{
			char line[4096];
			int n = 0;
			cudaRuntimeGetVersion(&n);
			std::FILE *maps = std::fopen("/proc/self/maps", "r");
			while (maps && std::fgets(line, sizeof line, maps))
				if (char *path = std::strstr(line, "libcudart") ? std::strchr(line, '/') : 0) {
					std::printf("loaded %s", path);
					return 0;
				}
			return 1;
		}
	EOS
	"$ROOT/versions/$1/bin/nvcc" -cudart shared -o "$FIRST" "$T/first.cpp"
}

# expect WAY TOOL ANSWER: the shim alone sets no variable, so what asks for one finds nothing, and says so.
expect() {
	case $1/$2/$3 in
	*/*/this) ;;
	"shim/CMake CUDA/shim" | "shim/meson cuda/shim") ;;
	"shim/PyTorch/none: no nvcc in $ROOT/bin" | shim/pkg-config/none:* | "shim/meson dependency/none:"*) ;;
	# Where no variable says anything meson looks there, for one of the same number.
	"shim/meson dependency/"*) [[ $3 == /usr/local/cuda* || $3 == /opt/cuda* ]] ;;
	shim/loader/none:*libcudart.so*) ;;
	# The loader's own folders have a toolkit of this machine, whose runtime fits the program.
	shim/loader/*) [[ $3 == /* && $3 == */libcudart.so.* ]] ;;
	*) false ;;
	esac || fail "$1: $2 of $LABEL: $3"
}

check() {
	local tool answer
	while IFS=$'\t' read -r tool answer; do
		ANSWERED+="$tool "
		TABLE+="$tool"$'\t'"$LABEL"$'\t'"$1"$'\t'"$answer"$'\n'
		expect "$1" "$tool" "$answer"
	done <"$T/answers"
}

ask() {
	local way=$1
	shift
	program "$LABEL"
	in_way "$way" "$LABEL" "$@" | judge "$LABEL" >"$T/answers"
	check "$way"
}

@test "each way to each release: nvcc, headers, make, ninja, PyTorch's rule, pkg-config, the loader" {
	local way
	for LABEL in "${RELEASES[@]}"; do
		for way in $ways; do
			ANSWERED=
			ask "$way" quick.sh
			[ "$ANSWERED" = "nvcc headers make ninja PyTorch pkg-config loader " ] || fail "$way: $ANSWERED"
		done
	done
}

# With $AGREEMENT everything is asked, and the table is written there. Else three of the combinations are: each
# takes seconds, and layout.bats has those of exec.
@test "CMake, FindCUDAToolkit, FindCUDA, meson" {
	local way scripts last=${RELEASES[-1]} cmake="CMake CUDA FindCUDAToolkit CUDA::cudart FindCUDA "
	TABLE=
	for LABEL in "${RELEASES[@]}"; do
		for way in $ways; do
			case ${AGREEMENT:+all}$way-$LABEL in
			all*) scripts=(slow.sh meson.sh quick.sh) ;;
			hook-12.4.1) scripts=(slow.sh meson.sh) ;;
			shim-11.8.0 | link-"$last") scripts=(slow.sh) ;;
			*) continue ;;
			esac
			command -v meson >/dev/null || scripts=(slow.sh)
			ANSWERED=
			ask "$way" "${scripts[@]}"
			[[ $ANSWERED == "$cmake"* ]] || fail "$way: $ANSWERED"
			[[ ${scripts[*]} != *meson* || $ANSWERED == *"meson cuda meson dependency "* ]] || fail "$way: $ANSWERED"
		done
	done
	[ -z "${AGREEMENT:-}" ] || python3 "$BATS_TEST_DIRNAME/agreement.py" <<<"${TABLE%$'\n'}" >"$AGREEMENT"
}

# sees COMMAND...: the nvcc that it asks is that of $LABEL.
sees() {
	capture "$@"
	[ "$(judge "$LABEL" < <(printf 'nvcc\t%s\n' "$(grep -m 1 '^/' <<<"$out")"))" = "nvcc	this" ] || fail "$*"
}

# interactive SHELL: with the hook, going to the folder by cd.
interactive() {
	local shell=$1 options
	case $shell in
	bash) options=(--norc -i) hook='eval "$("$CUDAENV" init bash)"' ;;
	zsh) options=(-f -i) hook='eval "$("$CUDAENV" init zsh)"' ;;
	fish) options=(--no-config -i) hook='$CUDAENV init fish | source' ;;
	esac
	printf '%s\ncd $T/ask\nsh top.sh\nexit\n' "$hook" | sed 's/cd \$T/cd "$T"/' |
		"${bare[@]}" TERM=dumb "CUDAENV_ROOT=$ROOT" "CUDAENV=$CUDAENV" "CUDAENV_SHIM=$CUDAENV_SHIM" "T=$T" "$shell" "${options[@]}"
}

# one_command SHELL: started in the folder, with the hook, as an editor or a remote command does it.
one_command() {
	local read='eval "$("$CUDAENV" init '$1')"'
	[ "$1" != fish ] || read='$CUDAENV init fish | source'
	cd "$T/ask" || return
	"${bare[@]}" TERM=dumb "CUDAENV_ROOT=$ROOT" "CUDAENV=$CUDAENV" "CUDAENV_SHIM=$CUDAENV_SHIM" "$1" -c "$read
test -n \"\$CUDA_HOME\" && sh top.sh"
}

@test "the same folder, the same toolkit: shells, scripts, cron, a remote command" {
	local shell bare=(env -i "HOME=$HOME" SHELL=/bin/sh PATH=/usr/bin:/bin)
	for LABEL in 11.8.0 13.0.2; do
		echo $LABEL >"$T/ask/.cuda-version"
		cd "$T/ask"
		sees bash -c "PATH='$ROOT/shims:'\$PATH sh top.sh"
		# The shims know their own root.
		sees env -i "PATH=$ROOT/shims:/usr/bin:/bin" sh top.sh
		# cron and "ssh host command" start no interactive shell and read no start-up file.
		cd /
		sees "${bare[@]}" /bin/sh -c "cd '$T/ask' && PATH='$ROOT/shims:'\$PATH sh top.sh"
		sees "${bare[@]}" /bin/sh -c "cd '$T/ask' && PATH='$ROOT/shims:'\$PATH make -s"
		sees "${bare[@]}" "CUDAENV_ROOT=$ROOT" /bin/sh -c "cd '$T/ask' && '$CUDAENV' exec sh top.sh"
		for shell in bash zsh fish; do
			if command -v $shell >/dev/null; then sees interactive $shell; fi
			if command -v $shell >/dev/null; then sees one_command $shell; fi
		done
	done
}

@test "a program of one release under another: its own runtime, or the loader names what it lacks" {
	local under
	for LABEL in "${RELEASES[@]}"; do
		program "$LABEL"
		for under in "${RELEASES[@]}"; do
			cudaenv exec "+$under" "$FIRST"
			if [ "$status" -eq 0 ]; then
				# Another one serves where it has the same name, which NVIDIA gives to one major release.
				[ "${under%%.*}" = "${LABEL%%.*}" ] || [[ $out != "loaded $ROOT/"* ]] || fail "$LABEL under $under"
			else
				[ "$status" -eq 127 ]
				assert_stderr_has "libcudart.so.${LABEL%%.*}"
				assert_stderr_has "cannot open shared object file"
			fi
		done
	done
}

# lacking: a project for the older and the newer module, and libraries elsewhere that the toolkit has not.
lacking() {
	mkdir "$T/elsewhere"
	touch "$T/elsewhere"/lib{cublas,cublasLt,cufft,cufile,cupti,curand,cusolver,cusparse}.so
	cat >CMakeLists.txt <<-'EOS'
		cmake_minimum_required(VERSION 3.18)
		project(x CXX)
		find_package(CUDAToolkit REQUIRED)
		foreach(lib cudart nvrtc cublas cufft cuFile)
			if(TARGET CUDA::${lib})
				get_target_property(where CUDA::${lib} IMPORTED_LOCATION)
				message(STATUS "answer ${lib} ${where}")
			endif()
		endforeach()
		if(POLICY CMP0146)
			cmake_policy(SET CMP0146 OLD)
		endif()
		find_package(CUDA REQUIRED)
		message(STATUS "answer FindCUDA ${CUDA_CUBLAS_LIBRARIES} ${CUDA_CUFFT_LIBRARIES}")
	EOS
}

@test "with the toolchain file CMake takes nothing from elsewhere" {
	LABEL=13.0.2
	lacking
	local P=$ROOT/versions/$LABEL
	cudaenv env "$LABEL" --format cmake
	cp "$T/stdout" "$T/toolchain.cmake"
	local again
	for again in 1 2; do
		CMAKE_LIBRARY_PATH=$T/elsewhere capture cmake -G Ninja -B build "-DCMAKE_TOOLCHAIN_FILE=$T/toolchain.cmake"
		assert_status 0
		[ "$(grep answer <<<"$out")" = "-- answer cudart $P/lib/libcudart.so
-- answer nvrtc $P/lib/libnvrtc.so
-- answer FindCUDA  " ] || fail "$again"
	done
	# What is added later is found, and it alone.
	touch "$P/lib64/libcublas.so"
	CMAKE_LIBRARY_PATH=$T/elsewhere capture cmake build
	rm "$P/lib64/libcublas.so"
	assert_status 0
	[ "$(grep answer <<<"$out" | sed -n '3,$p')" = "-- answer cublas $P/lib/libcublas.so
-- answer FindCUDA $P/lib/libcublas.so " ] || fail
}

@test "what the toolkit lacks and CMake takes from elsewhere is told" {
	LABEL=13.0.2
	lacking
	# What the command line names comes first, also where the machine has another CUDA.
	cudaenv exec "+$LABEL" cmake -G Ninja -DCMAKE_LIBRARY_PATH="$T/elsewhere" -B build
	assert_status 0
	cudaenv exec "+$LABEL" true
	assert_status 0
	[[ $err =~ "'build' takes '$T/elsewhere/libcu"[A-Za-z]+".so', since CUDA $LABEL has no libcu" ]] || fail
	assert_stderr_has "cudaenv component which-has libcu"
}
