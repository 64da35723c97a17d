#!/usr/bin/env bats
# bundle create, verify, and install --from a bundle; and what can be wrong with one.
load lib

setup() {
	setup_root
	sed '/^manifest_sha256/d' "$SOURCE_ROOT/share/versions.ini" >"$T/versions.ini"
	export CUDAENV_CATALOG=$T/versions.ini CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 CUDAENV_OFFLINE=1
	v=$CUDAENV_ROOT/versions
	b=cudaenv-12.4.1-linux-x86_64.tar
	m=file://${T// /%20}/m
}
teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
	teardown_root
}

mirror() { # LABEL [OPTION...]: $T/m
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/m" "$@"
}
bundle() { # LABEL...: in the working folder
	local label
	for label in "$@"; do mirror "$label"; done
	cudaenv bundle create "$@" --profile minimal --mirror "$m"
	assert_status 0
}
fresh() { # A machine that knows nothing but the bundle.
	chmod -R u+w "$CUDAENV_ROOT"
	rm -rf "$CUDAENV_ROOT" "$T/m"
}
assert_nothing() {
	[ -z "$(ls -A "$v" 2>/dev/null)" ] || fail "a version was left"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ] || fail "staging was left"
	[ ! -e "$CUDAENV_ROOT/store" ] || [ -z "$(find "$CUDAENV_ROOT/store" -name '*cudart*')" ] || fail "it is in the store"
}

@test "bundle: made, verified, installed from without anything else" {
	bundle 12.4.1
	assert_stdout "$b"
	assert_stderr_has "6 files"
	[ "$(tar tf "$b" | head -n 1)" = bundle.json ]
	[ "$(tar tf "$b" | LC_ALL=C sort -c && echo sorted)" = sorted ]
	tar tf "$b" | grep -qx 'cuda/redist/cuda_nvcc/linux-x86_64/cuda_nvcc-linux-x86_64-12.4.1-archive.tar.xz'
	cudaenv bundle verify "$b"
	assert_status 0
	assert_stdout_has "$b: whole: cuda 12.4.1 for x86_64, 4 archives"
	# The same again, from the same.
	cudaenv bundle create 12.4.1 --profile minimal --mirror "$m" -o "$T/a gain.tar"
	assert_status 0
	assert_stdout "$T/a gain.tar"
	cmp "$b" "$T/a gain.tar"
	fresh
	cudaenv install --from "$T/a gain.tar"
	assert_status 0
	assert_stdout "$v/12.4.1"
	capture "$v/12.4.1/bin/nvcc"
	assert_stdout "nvcc of 12.4.1"
	grep -q '"profile": "minimal"' "$v/12.4.1/.cudaenv/record.json"
	! grep verified "$v/12.4.1/.cudaenv/record.json"
	# Read where it is.
	[ -z "$(find "$CUDAENV_ROOT/cache" -name '*.xz')" ]
	# Unpacked it is a mirror.
	mkdir "$T/u"
	tar xf "$b" -C "$T/u"
	cudaenv install --as unpacked --from "$T/u" --profile minimal
	assert_status 0
	cudaenv install --as direct 12.4.1 --mirror "${m%/m}/work/$b" --profile minimal --source redist
	assert_status 0
}

@test "bundle: several releases, and cuDNN" {
	python3 "$SOURCE_ROOT/tests/index/fakecudnn.py" "$T/m" 9.13.0.50 redist --cuda 12,13
	sed "s/[0-9a-f]\{64\}/-/g" "$SOURCE_ROOT/share/products.tsv" >"$T/products.tsv"
	export CUDAENV_PRODUCTS=$T/products.tsv
	mirror 12.4.1
	mirror 13.0.2
	cudaenv bundle create 12.4.1 13.0.2 --components cuda_nvcc,cuda_nvrtc --cudnn 9.13 --mirror "$m"
	assert_status 0
	b=cudaenv-12.4.1-13.0.2-cudnn-9.13.0-linux-x86_64.tar
	assert_stdout "$b"
	cudaenv bundle verify --json "$b"
	assert_status 0
	assert_stdout_has '"holds":"cuda 12.4.1, cudnn 9.13.0, cuda 13.0.2"'
	assert_stdout_has '"whole":true'
	fresh
	cudaenv install --from "$b"
	assert_status 2
	assert_stderr_has "several releases: 12.4.1, 13.0.2"
	cudaenv install 12.9 --from "$b"
	assert_status 4
	assert_stderr_has "has no CUDA 12.9: it has 12.4.1, 13.0.2"
	cudaenv install 13 --from "$b"
	assert_status 0
	assert_stderr_has "has cuDNN 9.13.0 as well"
	assert_exists "$v/13.0.2/include/nvrtc.h"
	refute_exists "$v/13.0.2/include/cublas_v2.h"
	cudaenv install 12.4 --cudnn 9 --from "$b"
	assert_status 0
	assert_exists "$CUDAENV_ROOT/cudnn/9.13.0-cuda12/include/cudnn.h"
	cudaenv install 12.4 --as all --profile full --from "$b"
	assert_status 4
	assert_stderr_has "does not have of 12.4.1: libcublas, cuda_cupti"
}

@test "bundle: for another platform" {
	mirror 12.4.1
	cudaenv bundle create 12.4.1 --arch sbsa --mirror "$m"
	assert_status 0
	assert_stdout cudaenv-12.4.1-linux-sbsa.tar
	fresh
	cudaenv install --from cudaenv-12.4.1-linux-sbsa.tar --arch x86_64
	assert_status 2
	assert_stderr_has "is for sbsa, not for x86_64"
	cudaenv install --from cudaenv-12.4.1-linux-sbsa.tar --arch sbsa
	assert_status 0
	assert_exists "$v/12.4.1-sbsa/targets/sbsa-linux/include"
}

@test "bundle: wheels, where NVIDIA's archives cannot be had" {
	python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$T/w" 13.0.2
	export CUDAENV_CATALOG=$SOURCE_ROOT/share/versions.ini
	PIP_NO_INDEX=1 PIP_FIND_LINKS=${m%/m}/w cudaenv bundle create 13.0 --profile minimal
	assert_status 0
	b=cudaenv-13.0.2-linux-x86_64.tar
	assert_stdout "$b"
	assert_stderr_has "source redist does not serve"
	tar tf "$b" | grep -q '^wheels/nvidia_cuda_nvcc-'
	cudaenv bundle verify "$b"
	assert_status 0
	PIP_NO_INDEX=1 PIP_FIND_LINKS=${m%/m}/w cudaenv bundle create 13.0 --profile minimal --source wheels -o "$T/again.tar"
	assert_status 0
	cmp "$b" "$T/again.tar"
	fresh
	rm -rf "$T/w"
	cudaenv install --from "$b"
	assert_status 0
	assert_stdout "$v/13.0.2"
	capture "$v/13.0.2/bin/nvcc"
	assert_stdout_has "nvcc of 13.0.2"
	grep -q '"source": "wheels"' "$v/13.0.2/.cudaenv/record.json"
	grep -q '"profile": "minimal"' "$v/13.0.2/.cudaenv/record.json"
	! grep verified "$v/13.0.2/.cudaenv/record.json"
	[ -z "$(ls -A "$CUDAENV_ROOT/cache")" ]
	cudaenv install --from "$b" --as all --profile full
	assert_status 4
	assert_stderr_has "does not have of 13.0.2: profile 'full'"
	cudaenv install --from "$b" --as one --components cuda_cudart,libcublas
	assert_status 4
	assert_stderr_has "does not have of 13.0.2: libcublas"
	# With cuDNN's.
	python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$T/w" 13.0.2
	python3 "$SOURCE_ROOT/tests/index/fakecudnn.py" "$T/w" 9.12.0.46 wheel --cuda 12,13
	PIP_NO_INDEX=1 PIP_FIND_LINKS=${m%/m}/w cudaenv bundle create 13.0 --profile minimal --cudnn 9.12
	assert_status 0
	assert_stdout cudaenv-13.0.2-cudnn-9.12.0-linux-x86_64.tar
	rm -rf "$T/w"
	cudaenv bundle verify "$out"
	assert_status 0
	assert_stdout_has "cuda 13.0.2, cudnn 9.12.0-cuda13 for x86_64"
	cudaenv install --from cudaenv-13.0.2-cudnn-9.12.0-linux-x86_64.tar --as with --cudnn 9
	assert_status 0
	assert_exists "$CUDAENV_ROOT/cudnn/9.12.0-cuda13/include/cudnn.h"
	cudaenv install --from cudaenv-13.0.2-cudnn-9.12.0-linux-x86_64.tar --as without --cudnn 9.13
	assert_status 5
	# One bit of a wheel, one of its digest, and none at all.
	fresh
	python3 - "$b" <<-'P'
		import sys, tarfile
		data = bytearray(open(sys.argv[1], "rb").read())
		for m in tarfile.open(sys.argv[1]):
		    if "nvidia_cuda_runtime" in m.name:
		        data[m.offset_data + 40] ^= 1
		open("bit.tar", "wb").write(data)
		open("cut.tar", "wb").write(data[:-5000])
		open("list.tar", "wb").write(data.replace(b'"source": "wheels"', b'"source": "weels!"'))
	P
	for bad in bit cut list; do
		cudaenv bundle verify $bad.tar
		assert_status 6
		cudaenv install --from $bad.tar
		assert_status 6
		assert_stderr_has $bad.tar
		assert_nothing
	done
}

@test "bundle: bad ones" {
	bundle 12.4.1
	fresh
	while IFS='|' read -r kind status says; do
		python3 "$SOURCE_ROOT/tests/index/badbundle.py" "$b" "$T/$kind.tar" "$kind"
		cudaenv bundle verify "$T/$kind.tar"
		assert_status "$status"
		assert_stderr_has "$says"
		cudaenv install --from "$T/$kind.tar"
		case $kind in
		again | extra)
			assert_status 0
			chmod -R u+w "$CUDAENV_ROOT"
			rm -r "$CUDAENV_ROOT"
			continue
			;;
		*) assert_status 6 ;;
		esac
		assert_stderr_has "$kind.tar"
		assert_nothing
		refute_exists /tmp/evil
		refute_exists "$T/evil"
	done <<-'C'
		again|0|
		extra|0|'cuda/NOTES' is in no manifest: nothing reads it
		garbage|6|it is no tar file
		cut|6|is cut short
		dotdot|6|member 'cuda/../../evil' has a forbidden name
		absolute|6|member '/tmp/evil' has a forbidden name
		link|6|member 'cuda/link' is no plain file
		hardlink|6|is no plain file
		fifo|6|is no plain file
		twice|6|is there twice
		twomanifests|6|'cuda/redist/redistrib_12.4.1.json' is there twice
		nolist|6|it has no bundle.json
		badlist|6|its bundle.json is none of format 1
		nomanifest|6|'cuda/redist/redistrib_12.4.1.json' is missing
		badmanifest|6|'cuda/redist/redistrib_12.4.1.json' is no manifest
		missing|6|cuda_cudart-linux-x86_64-12.4.1-archive.tar.xz' is missing
		digest|6|has another sha256 than its manifest says
		size|6|bytes, its manifest says
	C
	# All are looked at, the first one that is not right tells.
	cudaenv bundle verify "$b" "$T/none.tar" "$T/cut.tar"
	assert_status 7
	assert_stdout_has "$b: whole"
	assert_stderr_has "none.tar"
	assert_stderr_has "cut.tar"
}

@test "bundle: a manifest that was not published" {
	bundle 12.4.1
	fresh
	export CUDAENV_CATALOG=$SOURCE_ROOT/share/versions.ini
	cudaenv bundle verify "$b"
	assert_status 6
	assert_stderr_has "'cuda/redist/redistrib_12.4.1.json' is not the manifest that was published"
	cudaenv install --from "$b"
	assert_status 6
	assert_stderr_has "the known one has"
	assert_nothing
}

@test "bundle: what cannot be made leaves nothing" {
	mirror 12.4.1 --size 300000
	cudaenv bundle create
	assert_status 2
	cudaenv bundle creat 12.4.1
	assert_status 2
	assert_stderr_has "did you mean 'cudaenv bundle create'"
	cudaenv bundle create 10.2 --mirror "$m"
	assert_status 4
	assert_stderr_has "cannot bundle 10.2: no source serves CUDA 10.2.89; redist: "
	assert_stderr_has "are copied as they are"
	cudaenv bundle create 12.4.1 --source deb
	assert_status 2
	assert_stderr_has "not those of source 'deb'"
	# Killed in the middle of a file.
	capture bash -c 'ulimit -f 100; exec "$@"' - "$CUDAENV" bundle create 12.4.1 --mirror "$m"
	[ "$status" -ne 0 ] || fail "it was not killed"
	[ -z "$(ls -A .)" ] || fail "something was left: $(ls -A .)"
	cudaenv bundle create 12.4.1 --mirror "$m" -o "$T/none/x.tar"
	assert_status 7
	assert_stderr_has "cannot write '$T/none/x.tar'"
	echo mine >"$b"
	cudaenv bundle create 12.4.1 --mirror "$m"
	assert_status 2
	assert_stderr_has "is there already"
	[ "$(cat "$b")" = mine ]
	cudaenv bundle create 12.4.1 --mirror "$m" -f
	assert_status 0
	cudaenv bundle verify "$b"
	assert_status 0
	rm "$b"
	# An archive that is another one, of the same length.
	printf x | dd of="$(echo "$T"/m/cuda/redist/cuda_nvrtc/linux-x86_64/*.xz)" bs=1 seek=1000 conv=notrunc status=none
	cudaenv bundle create 12.4.1 --mirror "$m"
	assert_status 6
	assert_stderr_has "its sha256 is not what the manifest says"
	[ -z "$(ls -A .)" ] || fail "something was left: $(ls -A .)"
}

@test "bundle: what is not here is fetched, and kept" {
	mirror 12.4.1
	coproc HTTPD { exec python3 "$SOURCE_ROOT/tests/httpd.py" --root "$T" --simple "$T/wheels" 2>/dev/null; }
	server=$HTTPD_PID
	read -r port <&"${HTTPD[0]}"
	export CUDAENV_OFFLINE=0 CUDAENV_MIRROR=http://127.0.0.1:$port/file/m
	printf x >>"$(echo "$T"/m/cuda/redist/cuda_cccl/linux-x86_64/*.xz)"
	cudaenv bundle create 12.4.1 --profile minimal
	assert_status 6
	assert_stderr_has cuda_cccl
	[ -z "$(ls -A .)" ] || fail "something was left"
	mirror 12.4.1
	cudaenv bundle create 12.4.1 --profile minimal
	assert_status 0
	kill "$server"
	server=
	cudaenv bundle verify "$b"
	assert_status 0
	cudaenv bundle create 12.4.1 --profile minimal --offline -o again.tar
	assert_status 0
	cmp "$b" again.tar
}

@test "bundle: what is in the cache is taken from there" {
	mirror 12.4.1
	mkdir "$T/c"
	cp "$T"/m/cuda/redist/redistrib_12.4.1.json "$T/c/$(sha256sum <"$T/m/cuda/redist/redistrib_12.4.1.json" | cut -c1-64).redistrib_12.4.1.json"
	for f in "$T"/m/cuda/redist/*/linux-x86_64/*.xz; do
		cp "$f" "$T/c/$(sha256sum <"$f" | cut -c1-64).${f##*/}"
	done
	rm -rf "$T/m"
	CUDAENV_CACHE_DIR=$T/c cudaenv bundle create 12.4.1 --profile minimal
	assert_status 0
	cudaenv bundle verify "$b"
	assert_status 0
	rm "$b"
	rm "$T"/c/*cuda_cudart*
	CUDAENV_CACHE_DIR=$T/c cudaenv bundle create 12.4.1 --profile minimal
	assert_status 5
	[ -z "$(ls -A .)" ] || fail "something was left"
}
