#!/usr/bin/env bats
# Toolkits that are here already. Every test names the trees: what else this machine has is not its business.
# test_adopt has the places that are searched, in a file system of its own.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

# foreign PLACE RELEASE: a tree that cudaenv did not install, at $T/PLACE.
foreign() {
	FAKE_ROOT=$T/foreign fake_toolkit "$2" nvcc ptxas
	mkdir -p "$(dirname "$T/$1")"
	mv "$prefix" "$T/$1"
	rm -r "$T/$1/.cudaenv" "$T/foreign"
}

@test "found, told, linked, used, found again, unlinked; never changed" {
	foreign 'opt/cuda 12' 12.4.1
	ln -s 'cuda 12' "$T/opt/cuda"
	find "$T/opt" -printf '%p %m %T@ %s %l\n' | sort >"$T/before"
	cudaenv adopt -n "$T/opt/cuda 12" "$T/opt/cuda" "$T/opt/cuda/bin/nvcc"
	assert_status 0
	[ "$(wc -l <<<"$out")" -eq 1 ] || fail "the same tree is there once"
	[[ $out == "system-12.4.1  CUDA 12.4.1 (version.json)  $T/opt/cuda 12  lacks bin/nvcc.profile, nvvm/bin/cicc, "* ]] || fail
	refute_exists "$CUDAENV_ROOT/versions"
	cudaenv adopt "$T/opt/cuda"
	assert_status 0
	assert_stderr_has "cudaenv local system-12.4.1"
	cudaenv adopt "$T/opt/cuda 12"
	assert_stdout_has known
	assert_stderr ""
	cudaenv versions --bare
	assert_stdout system-12.4.1
	cudaenv local system-12.4.1
	capture "$CUDAENV_ROOT/shims/nvcc"
	assert_stdout_has "nvcc 12.4.1"
	cudaenv unlink system-12.4.1
	assert_status 0
	refute_exists "$CUDAENV_ROOT/shims/nvcc"
	find "$T/opt" -printf '%p %m %T@ %s %l\n' | sort | cmp - "$T/before"
}

@test "a conda environment: its tools of CUDA, and no other program of it" {
	foreign env 12.4.1
	rm "$T/env/include" "$T/env/lib64" "$T/env/version.json"
	mkdir "$T/env/conda-meta"
	touch "$T/env/conda-meta/cuda-nvcc-12.4.131-0.json" "$T/env/conda-meta/cuda-toolkit-12.4.1-0.json"
	cp "$T/env/bin/nvcc" "$T/env/bin/python3"
	echo x >"$T/env/targets/x86_64-linux/include/cuda_runtime.h"
	cudaenv --json adopt "$T/env"
	assert_status 0
	python3 - <<-EOF
		import json
		(o,) = json.load(open("$T/stdout"))
		assert (o["name"], o["kind"], o["release"], o["told_by"]) == ("conda-12.4.1", "conda", "12.4.1", "package"), o
		assert "nvvm/bin/cicc" in o["lacks"] and "include/cuda_runtime.h" not in o["lacks"], o
	EOF
	cudaenv exec +conda-12.4.1 sh -c 'command -v nvcc; cat "$CUDA_HOME/include/cuda_runtime.h"; command -v python3'
	assert_status 0
	[ "$(head -n 2 <<<"$out")" = "$CUDAENV_ROOT/versions/conda-12.4.1/bin/nvcc
x" ] || fail
	refute_stdout_has "conda-12.4.1/bin/python3"
	cudaenv versions
	assert_stdout_has "linked  -> $T/env (CUDA 12.4.1)"
	cudaenv uninstall conda-12.4.1
	assert_status 2
	assert_stderr_has "cudaenv unlink conda-12.4.1"
	cudaenv unlink conda-12.4.1
	assert_status 0
	refute_exists "$CUDAENV_ROOT/versions/conda-12.4.1"
	[ -x "$T/env/bin/nvcc" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
}

@test "names that are taken, and what is none" {
	foreign a 12.4.1
	foreign b 12.4.1
	cudaenv alias system-12.4.1-2 12
	cudaenv adopt "$T/a" "$T/b"
	assert_status 0
	cudaenv versions --bare
	assert_stdout "system-12.4.1
system-12.4.1-3"
	mkdir "$T/empty"
	cudaenv adopt "$T/empty"
	assert_status 7
	assert_stderr_has "it has no program 'bin/nvcc'"
	cudaenv adopt "$T/none"
	assert_status 7
	fake_toolkit 11.8.0
	cudaenv adopt "$prefix"
	assert_status 2
}

@test "a package's tree goes: the version is dangling, says so, and can be taken away" {
	foreign cuda-12.4 12.4.1
	cudaenv adopt "$T/cuda-12.4"
	rm -r "$T/cuda-12.4"
	cudaenv versions
	assert_stdout_has dangling
	CUDAENV_VERSION=system-12.4.1 cudaenv which nvcc
	assert_status 3
	cudaenv unlink system-12.4.1
	assert_status 0
}

@test "without a path: where the environment leads, and what is ours never" {
	foreign spack/cuda 12.6.3
	foreign sys 11.2.0
	fake_toolkit 12.4.1
	ln -s "$T/sys/bin/nvcc" "$T/bin/nvcc"
	export CUDA_PATH=$T/spack/cuda CUDA_HOME=$prefix
	cudaenv --json adopt -n
	assert_status 0
	python3 - <<-EOF
		import json
		paths = [o["path"] for o in json.load(open("$T/stdout"))]
		assert "$T/spack/cuda" in paths and "$T/sys" in paths, paths
		assert not [p for p in paths if "the root" in p], paths
	EOF
	refute_exists "$CUDAENV_ROOT/versions/system-12.6.3"
}

@test "the number of nvcc is not the release" {
	foreign a 13.0.2
	printf '{"cuda": {"version": "13.0.2"}, "cuda_nvcc": {"version": "13.0.88"}}' >"$T/a/version.json"
	cudaenv adopt "$T/a"
	assert_stdout_has "system-13.0.2  CUDA 13.0.2 (version.json)"
	CUDAENV_VERSION=system-13.0.2 cudaenv version -v
	[[ $out =~ release\ +13\.0\.2.*nvcc\ number\ +13\.0\.88 ]] || fail
	# Without a word on the release: major and minor, from what the compiler or a header says.
	foreign b 13.0.2
	printf '{"cuda_nvcc": {"version": "13.0.88"}}' >"$T/b/version.json"
	printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\n' >"$T/b/bin/nvcc"
	cudaenv adopt "$T/b"
	assert_stdout_has "system-13.0  CUDA 13.0 (nvcc)"
}
