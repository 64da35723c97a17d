# shellcheck shell=bash
# One question to each tool that looks for CUDA in a way of its own: which toolkit is it? Asked through each way in
# which a user comes to one. agreement.bats holds what the answers have to be, and writes docs/agreement.md.

ways='shim hook exec link'

# What the tools are asked, as one script that prints "TOOL<TAB>ANSWER". $FIRST is a shared program of this release.
write_questions() {
	mkdir -p "$T/ask/old" "$T/ask/meson" "$T/ask/language"
	cp "$CUDAENV_KERNELS/hello.cu" "$T/ask/meson/"
	: >"$T/ask/empty.cu"
	printf 'all:\n\t@sh top.sh\n' >"$T/ask/Makefile"
	printf 'rule ask\n  command = sh top.sh\n  description = asking\nbuild all: ask\n' >"$T/ask/build.ninja"
	cat >"$T/ask/top.sh" <<-'EOS'
		nvcc --dryrun empty.cu 2>&1 | sed -n 's/^#\$ TOP=//p'
	EOS
	# torch.utils.cpp_extension: CUDA_HOME, CUDA_PATH, two up from nvcc, /usr/local/cuda.
	cat >"$T/ask/torch.py" <<-'EOS'
		import os, shutil
		home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
		if home is None:
		    nvcc = shutil.which("nvcc")
		    home = os.path.dirname(os.path.dirname(nvcc)) if nvcc else "/usr/local/cuda"
		print(home if os.path.exists(os.path.join(home, "bin", "nvcc")) else "none: no nvcc in %s/bin" % home)
	EOS
	cat >"$T/ask/quick.sh" <<-'EOS'
		say() { printf '%s\t%s\n' "$1" "$2"; }
		say nvcc "$(sh top.sh)"
		say headers "$(nvcc -M empty.cu 2>&1 | sed 's/\\ / /g; s/ *\\$//; s/^ *//' | sed -n 's,/targets/.*/cuda_runtime\.h$,,p; s,/include/cuda_runtime\.h$,,p')"
		say make "$(make -s)"
		say ninja "$(ninja | sed -n 's/^\[1\/1\] asking$//; /^\//p')"
		say PyTorch "$(python3 torch.py)"
		say pkg-config "$(pkg-config --print-errors --variable=cudaroot cudart 2>&1 | sed '1s/^Package/none: &/; 2,$d; s/\\ / /g')"
		say loader "$("$FIRST" 2>&1 | sed -n 's,/targets/.*,,; s/^loaded //p; s/.*error while loading shared libraries: /none: /p')"
	EOS
	cat >"$T/ask/language/CMakeLists.txt" <<-'EOS'
		cmake_minimum_required(VERSION 3.18)
		project(x CUDA)
		find_package(CUDAToolkit REQUIRED)
		get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
		message(STATUS "answer CMake CUDA\t${CMAKE_CUDA_COMPILER}")
		message(STATUS "answer FindCUDAToolkit\t${CUDAToolkit_BIN_DIR}")
		message(STATUS "answer CUDA::cudart\t${cudart}")
	EOS
	cat >"$T/ask/old/CMakeLists.txt" <<-'EOS'
		cmake_minimum_required(VERSION 3.10)
		if(POLICY CMP0146)
			cmake_policy(SET CMP0146 OLD)
		endif()
		project(x CXX)
		find_package(CUDA REQUIRED)
		message(STATUS "answer FindCUDA\t${CUDA_TOOLKIT_ROOT_DIR}")
	EOS
	cat >"$T/ask/meson/meson.build" <<-'EOS'
		project('x', 'cuda')
		cuda = import('unstable-cuda')
		nvcc = meson.get_compiler('cuda')
		toolkit = dependency('cuda', modules: ['cudart'], required: false)
		message('answer meson cuda', nvcc.cmd_array()[-1], '.')
		message('answer meson dependency', toolkit.found() ? toolkit.version() : 'none')
		executable('hello', 'hello.cu', dependencies: toolkit)
	EOS
	cat >"$T/ask/slow.sh" <<-'EOS'
		rm -rf build.language build.old
		for p in language old; do
			cmake -G Ninja -S $p -B build.$p -DCMAKE_CUDA_ARCHITECTURES=75 2>&1 |
				sed -n 's/^-- answer //p; s,\(CMake Error.*\),'$p'\tnone: \1,p'
		done
	EOS
	# The libraries that meson took are in what it wrote.
	cat >"$T/ask/meson.sh" <<-'EOS'
		rm -rf build.meson
		meson setup build.meson meson >meson.log 2>&1 || :
		nvcc=$(sed -n 's/^Message: answer meson cuda \([^ ]*\) .*/\1/p' meson.log)
		printf 'meson cuda\t%s\n' "$(command -v "$nvcc")"
		if grep -q '^Message: answer meson dependency none' meson.log; then
			printf 'meson dependency\tnone: %s\n' "$(sed -n 's/^Run-time dependency CUDA.*found: //p' meson.log)"
		else
			printf 'meson dependency\t%s\n' "$(sed -n 's/^Run-time dependency CUDA.*found: YES [0-9.]* (\(.*\))$/\1/p' meson.log)"
		fi
	EOS
}

# in_way WAY LABEL SCRIPT...: its answers, in a project whose .cuda-version says LABEL. Only what the user of that way
# has set is in the environment. CUDAENV_ROOT is $ROOT.
in_way() {
	local way=$1 label=$2 s
	local clean=(env -i "HOME=$HOME" TERM=dumb LC_ALL=C "PATH=$T/bin:/usr/bin:/bin" "CUDAENV_ROOT=$ROOT" "FIRST=$FIRST")
	shift 2
	cd "$T/ask" || return 1
	echo "$label" >.cuda-version
	for s; do
		case $way in
		shim) "${clean[@]}" "PATH=$ROOT/shims:$T/bin:/usr/bin:/bin" sh "$s" ;;
		hook)
			"${clean[@]}" "CUDAENV_SHIM=$CUDAENV_SHIM" bash --norc -i 2>/dev/null <<-EOS
				eval "\$("$CUDAENV" init bash)"
				cd "$T/ask"
				sh "$s"
			EOS
			;;
		exec) "${clean[@]}" "$CUDAENV" exec sh "$s" ;;
		# What NVIDIA's guide lets one set for /usr/local/cuda, and CUDA_PATH.
		link)
			CUDAENV_ROOT=$ROOT "$CUDAENV" -q system-link --path "$LINK" "$label" || return 1
			"${clean[@]}" "PATH=$LINK/bin:$T/bin:/usr/bin:/bin" "LD_LIBRARY_PATH=$LINK/lib64" "CUDA_PATH=$LINK" \
				"PKG_CONFIG_PATH=$LINK/lib64/pkgconfig" sh "$s"
			;;
		esac </dev/null
	done
}

# Reads answers; prints "TOOL<TAB>this" for the prefix of LABEL (however it is named), "none" with what was said, or
# the answer itself, which is somebody else's.
judge() {
	local label=$1 prefix tool answer real
	prefix=$(cd "$ROOT/versions/$label" && pwd -P)
	while IFS=$'\t' read -r tool answer; do
		real=$(readlink -m "${answer:-/}")
		case $answer in
		none:*) ;;
		*) case $real in
			"$prefix" | "$prefix"/*) answer=this ;;
			"$ROOT/shims/nvcc") answer=shim ;;
			esac ;;
		esac
		printf '%s\t%s\n' "$tool" "$answer"
	done
}
