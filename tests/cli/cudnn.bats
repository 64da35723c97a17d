#!/usr/bin/env bats
# cuDNN and the other products beside the toolkits.
load lib

setup() {
	setup_root
	export CUDAENV_ACCEPT_EULA=1 CUDAENV_VERIFY=files CUDAENV_MIRROR=file://${T// /%20}/mirror CUDAENV_SOURCE=redist
	n=$CUDAENV_ROOT/cudnn
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	fake_toolkit 13.0.2
	echo 12.4.1 >.cuda-version
	# The mirrors here are not NVIDIA's: nothing of their manifests is known.
	sed 's/[0-9a-f]\{64\}$/-/' "$SOURCE_ROOT/share/products.tsv" >"$T/products.tsv"
	export CUDAENV_PRODUCTS=$T/products.tsv
}
teardown() { teardown_root; }

fake() { python3 "$SOURCE_ROOT/tests/index/fakecudnn.py" "$@"; }

# is_cudnn NAME: whole and in the common layout.
is_cudnn() {
	local p=$n/$1 major=${1%%.*}
	grep -qr "CUDNN_MAJOR $major" "$p/include" || fail "no version in $p/include"
	[ "$(readlink "$p/lib64")" = lib ] || fail "lib64 of $p"
	[ -f "$p/lib/libcudnn.so.$major" ] && [ -f "$p/lib64/libcudnn.so" ] || fail "libraries of $p: $(ls "$p/lib")"
	ls "$p" | grep -qiE 'licen|sla' || fail "no licence in $p"
	[ -f "$p/.cudaenv/record.json" ] || fail "no record in $p"
	[ -z "$(find "$p" -lname '*stag*')" ] || fail "a link into staging"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ] || fail "staging was left"
}

@test "install takes the variant of the selected toolkit's CUDA" {
	fake "$T/mirror" 9.3.0.75 redist --cuda 11,12
	fake "$T/mirror" 9.10.2.21 redist --cuda 11,12
	fake "$T/mirror" 9.12.0.46 redist --cuda 12,13
	cudaenv cudnn install 9.3
	assert_status 0
	assert_stdout "$n/9.3.0-cuda12"
	is_cudnn 9.3.0-cuda12
	CUDAENV_VERSION=11.8 cudaenv cudnn install 9
	assert_stdout "$n/9.10.2-cuda11"
	CUDAENV_VERSION=13 cudaenv cudnn install latest
	assert_stdout "$n/9.12.0-cuda13"
	cudaenv cudnn install '>=9.4,<9.11' --cuda 12.1
	assert_stdout "$n/9.10.2-cuda12"
	cudaenv cudnn install 9.3.0-cuda11
	assert_stdout "$n/9.3.0-cuda11"
	is_cudnn 9.3.0-cuda11
	# Nothing went into a toolkit, and the second time nothing is fetched.
	[ -z "$(find "$CUDAENV_ROOT/versions" -name '*cudnn*')" ]
	rm -r "$T/mirror"
	cudaenv cudnn install 9.3.0
	assert_status 0
	assert_stderr_has "installed already"
	cudaenv cudnn install 9.3.0 -s
	assert_stderr ""
	cudaenv cudnn list --bare
	assert_stdout "9.12.0-cuda13
9.10.2-cuda12
9.10.2-cuda11
9.3.0-cuda12
9.3.0-cuda11"
}

@test "a wrong pair is refused, and the right one named" {
	fake "$T/mirror" 9.12.0.46 redist --cuda 12,13
	CUDAENV_VERSION=11.8.0 cudaenv cudnn install 9.12
	assert_status 4
	assert_stderr "cudaenv: cuDNN 9.12.0 is made for CUDA 12 and 13, not for CUDA 11
hint: the newest one for CUDA 11 is 9.10.2"
	# What no table knows, the manifest says.
	fake "$T/mirror" 9.99.0.1 redist --cuda 13
	cudaenv cudnn install 9.99
	assert_status 4
	assert_stderr_has "cuDNN 9.99.0 is made for cuda13 on linux-x86_64, not for CUDA 12"
	for args in "local 11.8 --cudnn 9.12" "global 11.8 --cudnn 9.12" "install 11.8.0 --cudnn 9.12 --mirror file:///none"; do
		# shellcheck disable=SC2086
		cudaenv $args
		[ "$status" = 4 ] || [ "$status" = 5 ] || fail "$args"
	done
	echo 11.8 >.cuda-version
	cudaenv cudnn local 9.12
	assert_status 4
	[ "$(cat .cuda-version)" = 11.8 ]
	cudaenv cudnn install
	assert_stderr_has "'$PWD/.cuda-version' asks for no cuDNN"
	CUDAENV_MIRROR='' cudaenv cudnn install 8.1.1 --cuda 11
	assert_status 4
	assert_stderr_has "NVIDIA has cuDNN 8.1.1 behind a login only"
	cudaenv cudnn install ../9
	assert_status 7
	cudaenv cudnn install mine
	assert_status 2
	cudaenv cudnn instal 9
	assert_stderr_has "did you mean 'cudaenv cudnn install'?"
	[ ! -e "$n" ] || [ -z "$(ls "$n")" ]
}

@test "the pins, and what they do to exec, env, version and prefix" {
	fake "$T/mirror" 9.3.0.75 redist --cuda 11,12
	cudaenv local 12.4 --cudnn 9.3
	assert_status 0
	assert_stderr_has "hint: cudaenv cudnn install 9.3 --cuda 12"
	cudaenv exec true
	assert_status 3
	assert_stderr_has "cudnn '9.3' for CUDA 12 is not installed (installed: none), set by '$PWD/.cuda-version'"
	cudaenv cudnn install
	assert_status 0
	cudaenv exec sh -c 'echo $CUDNN_HOME,$CUDNN_PATH,$CUDNN_ROOT,$LD_LIBRARY_PATH,$CPATH'
	local p=$n/9.3.0-cuda12 v=$CUDAENV_ROOT/versions/12.4.1
	assert_stdout "$p,$p,$p,$p/lib:$v/lib64,"
	# What the command starts finds the same.
	cudaenv exec +12.4 "$CUDAENV" prefix --cudnn
	assert_status 3
	cudaenv exec "$CUDAENV" prefix --cudnn
	assert_stdout "$p"
	CUDAENV_SHELL=bash cudaenv shell 12.4 --cudnn 9.3
	assert_stdout "export CUDAENV_VERSION='12.4'
export CUDAENV_CUDNN_VERSION='9.3'"
	CUDAENV_SHELL=bash CUDAENV_CUDNN_VERSION=9 cudaenv shell --unset
	assert_stdout "unset CUDAENV_VERSION
unset CUDAENV_CUDNN_VERSION"
	CUDAENV_SHELL=bash cudaenv shell --cudnn mine
	assert_status 2
	cudaenv config set compiler_paths yes
	cudaenv env --format json
	assert_stdout_has "\"CPATH\": \"$p/include:$v/include\""
	assert_stdout_has "\"LIBRARY_PATH\": \"$p/lib:$v/lib64\""
	cudaenv version
	assert_stdout "12.4.1 (from 12.4, set by '$PWD/.cuda-version')
cudnn 9.3.0-cuda12 (from 9.3, set by '$PWD/.cuda-version')"
	cudaenv version --json
	assert_stdout_has '"cudnn": "9.3.0-cuda12"'
	cudaenv prefix --cudnn
	assert_stdout "$p"
	cudaenv cudnn prefix
	assert_stdout "$p"
	CUDAENV_CUDNN_VERSION=none cudaenv exec sh -c 'echo ${CUDNN_HOME-unset}'
	assert_stdout unset
	CUDAENV_VERSION=13.0 CUDAENV_CUDNN_VERSION=9 cudaenv version
	assert_stderr_has "for CUDA 13 is not installed (installed: 9.3.0-cuda12), set by CUDAENV_CUDNN_VERSION"
	cudaenv cudnn local
	assert_stdout 9.3
	cudaenv cudnn local none
	cudaenv prefix --cudnn
	assert_status 3
	cudaenv cudnn local --unset
	[ "$(cat .cuda-version)" = 12.4 ]
	cudaenv cudnn list --json
	assert_stdout_has '"full_version": "9.3.0.75"'
}

@test "the global one has a link for IDEs" {
	fake "$T/mirror" 9.3.0.75 redist --cuda 11,12
	cudaenv cudnn global 9.3
	assert_status 2
	assert_stderr_has "it has to name a toolkit first"
	cudaenv global 12.4
	cudaenv cudnn install 9.3 --set-global
	assert_status 0
	[ "$(readlink "$n/current")" = 9.3.0-cuda12 ]
	[ -f "$n/current/include/cudnn_version.h" ]
	cudaenv cudnn global
	assert_stdout 9.3.0
	cudaenv cudnn uninstall 9.3.0
	assert_status 2
	assert_stderr_has "is the global one"
	cudaenv global 11.8
	refute_exists "$n/current"
	cudaenv cudnn install 9.3 --cuda 11
	[ "$(readlink "$n/current")" = 9.3.0-cuda11 ]
	cudaenv cudnn global --unset
	refute_exists "$n/current"
	[ "$(cat "$CUDAENV_ROOT/version")" = 11.8 ]
	cudaenv cudnn uninstall 9.3.0
	assert_status 2
	assert_stderr_has "'9.3.0' can be 9.3.0-cuda12, 9.3.0-cuda11"
	cudaenv cudnn uninstall 9.3.0-cuda12 9.3.0-cuda11
	assert_status 0
	[ -z "$(ls "$n")" ] && [ -z "$(ls "$CUDAENV_ROOT/store")" ] || fail "$(ls "$n" "$CUDAENV_ROOT/store")"
	cudaenv cudnn uninstall 9.3.0
	assert_status 3
}

@test "archives that people download: layouts of 7, 8 and 9, the version from header and library" {
	cd "$T/work" || return
	fake . 7.6.5.32 tgz --cuda 10.1
	fake . 8.1.1.33 tgz --cuda 11.2
	fake . 8.9.2.26 txz --cuda 12
	fake . 9.3.0.75 wheel --cuda 11
	cudaenv cudnn install cudnn-10.1-linux-x64-v7.6.5.32.tgz ./cudnn-11.2-linux-x64-v8.1.1.33.tgz \
		"$PWD/cudnn-linux-x86_64-8.9.2.26_cuda12-archive.tar.xz" nvidia_cudnn_cu11-*.whl
	assert_status 0
	assert_stdout "$n/7.6.5-cuda10.1
$n/8.1.1-cuda11
$n/8.9.2-cuda12
$n/9.3.0-cuda11"
	local name
	for name in 7.6.5-cuda10.1 8.1.1-cuda11 8.9.2-cuda12 9.3.0-cuda11; do is_cudnn $name; done
	[ -f "$n/8.9.2-cuda12/lib/libcudnn_ops_infer.so.8" ]
	# Names say nothing.
	mv cudnn-11.2-linux-x64-v8.1.1.33.tgz cudnn-12-linux-x64-v9.9.9.tgz
	cudaenv cudnn install -f cudnn-12-linux-x64-v9.9.9.tgz
	assert_stdout "$n/8.1.1-cuda11"
	assert_stderr_has "is made for CUDA 11, as its libraries say, not for 12"
}

@test "a folder that has it, maybe among other things: copied, never changed" {
	fake "$T" 9.3.0.75 txz
	mkdir -p "$T/usr/lib/x86_64-linux-gnu" "$T/etc"
	tar -xf "$T"/cudnn-*.tar.xz -C "$T/etc" --strip-components 1
	mv "$T/etc/include" "$T/usr"
	mv "$T"/etc/lib/* "$T/usr/lib/x86_64-linux-gnu"
	: >"$T/usr/include/stdio.h" >"$T/usr/lib/x86_64-linux-gnu/libc.so.6"
	# As Debian's alternatives have it.
	ln -s "$T/usr/lib/x86_64-linux-gnu/libcudnn.so.9" "$T/etc/libcudnn_so"
	ln -sf "$T/etc/libcudnn_so" "$T/usr/lib/x86_64-linux-gnu/libcudnn.so"
	cudaenv cudnn install "$T/usr"
	assert_status 0
	assert_stdout "$n/9.3.0-cuda12"
	grep -q CUDNN_MAJOR "$n/9.3.0-cuda12/include/cudnn_version.h"
	[ -f "$n/9.3.0-cuda12/lib64/libcudnn.so" ] && [ -L "$n/9.3.0-cuda12/lib/libcudnn_ops.so.9" ]
	[ ! -e "$n/9.3.0-cuda12/include/stdio.h" ] && [ ! -e "$n/9.3.0-cuda12/lib/libc.so.6" ]
	[ "$(stat -c '%a %h' "$T/usr/include/cudnn.h")" = "644 1" ] || fail "$(stat -c '%a %h' "$T/usr/include/cudnn.h")"
	cudaenv cudnn uninstall 9.3.0
	[ -z "$(ls "$CUDAENV_ROOT/store")" ]
	rm "$T"/usr/lib/x86_64-linux-gnu/libcudnn*
	cudaenv cudnn install "$T/usr"
	assert_status 6
	assert_stderr_has "'$T/usr' has no library of cuDNN"
	cudaenv cudnn install "$T/etc"
	assert_stderr_has "has no headers of cuDNN"
	[ -z "$(ls "$n")" ]
}

@test "archives that are refused leave nothing" {
	# kind|words
	local kind words form
	while IFS='|' read -r kind words form; do
		rm -rf "$T/evil"
		fake "$T/evil" 8.9.2.26 "${form:-txz}" --evil "$kind"
		cudaenv cudnn install "$T"/evil/*
		[ "$status" -ne 0 ] || fail "$kind"
		assert_stderr_has "$words"
		[ -z "$(ls -A "$n" 2>/dev/null)" ] && [ -z "$(ls -A "$CUDAENV_ROOT/store" 2>/dev/null)" ] ||
			fail "$kind left something: $(ls "$n" "$CUDAENV_ROOT/store")"
	done <<-'EOF'
		html|the server sent an HTML page (login needed?)|tgz
		noheader|has no headers of cuDNN (looked for 'include/cudnn_version.h' and 'include/cudnn.h')
		nolibrary|has no library of cuDNN (looked for 'lib/libcudnn*.so*')
		noversion|no version of cuDNN in its headers (looked in 'include/cudnn_version.h' and 'include/cudnn.h')
		olderlibrary|its header says cuDNN 8.9.2, its library is 'libcudnn.so.8.0.1'
		arm|is made for arm64, not for x86_64
	EOF
	fake "$T/quiet" 9.3.0.75 txz --evil quiet
	mv "$T"/quiet/* "$T/quiet/cudnn.tar.xz"
	cudaenv cudnn install "$T/quiet/cudnn.tar.xz"
	assert_status 2
	assert_stderr_has "does not say for which CUDA it is"
	cudaenv cudnn install "$T/quiet/cudnn.tar.xz" --cuda 12
	assert_stdout "$n/9.3.0-cuda12"
	echo text >"$T/x.tgz"
	cudaenv cudnn install "$T/x.tgz" "$T/none.tgz"
	assert_status 6
	cudaenv cudnn install "$T/none.tgz"
	assert_status 7
	# Of a mirror: what the archive holds is what was asked for.
	fake "$T/mirror" 9.3.0.75 redist --evil olderlibrary
	cudaenv cudnn install 9.3 -f
	assert_status 6
	is_cudnn 9.3.0-cuda12
}

@test "from wheels, where NVIDIA's archives cannot be had" {
	fake "$T/wheels" 9.3.0.75 wheel --cuda 11,12
	fake "$T/wheels" 9.12.0.46 wheel --cuda 12,13
	export CUDAENV_SOURCE=auto PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null
	ln -s /bin/false "$T/bin/uv"
	# Lists of folders are separated by blanks there.
	ln -s "$T/wheels" "/tmp/cudnn-wheels.$$"
	PIP_FIND_LINKS=/tmp/cudnn-wheels.$$ cudaenv cudnn install 9.3
	rm "/tmp/cudnn-wheels.$$"
	assert_status 0
	assert_stderr_has "source redist does not serve:"
	assert_stdout "$n/9.3.0-cuda12"
	is_cudnn 9.3.0-cuda12
	grep -q '"source": "wheels"' "$n/9.3.0-cuda12/.cudaenv/record.json"
}

@test "install of a toolkit brings the cuDNN that is asked for" {
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/mirror" 12.6.0
	fake "$T/mirror" 9.3.0.75 redist --cuda 11,12
	sed '/^manifest_sha256/d' "$SOURCE_ROOT/share/versions.ini" >"$T/versions.ini"
	export CUDAENV_CATALOG=$T/versions.ini
	cudaenv install 12.6.0 --cudnn 9.3 --profile minimal --set-local
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/versions/12.6.0
$n/9.3.0-cuda12"
	[ "$(cat .cuda-version)" = "12.6.0
cudnn=9.3.0" ]
	rm -r "$n"
	cudaenv install -s
	assert_stdout_has "$n/9.3.0-cuda12"
	# The old way: a new version that has both, of private links.
	cudaenv cudnn merge 9.3 12.6.0
	assert_status 2
	cudaenv cudnn merge 9.3 12.6.0 --as 12.6.0
	assert_status 2
	assert_stderr_has "there is a version '12.6.0' already, which is not changed"
	cudaenv cudnn merge 9.3 12.4.1 --as x
	assert_status 3
	cudaenv cudnn merge 9.3 12.9.1 --as x
	assert_status 3
	assert_stderr_has "version '12.9.1' is not installed"
	refute_exists "$CUDAENV_ROOT/versions/x"
	local before
	before=$(find "$CUDAENV_ROOT/versions/12.6.0" "$n" -printf '%p %i %m %T@ %l\n' | sort | sha256sum)
	cudaenv cudnn merge 9.3 12.6.0 --as both
	assert_status 0
	local p=$CUDAENV_ROOT/versions/both
	[ -f "$p/include/cudnn_version.h" ] && [ -f "$p/lib64/libcudnn.so.9" ] && [ -x "$p/bin/nvcc" ]
	[ ! -e "$CUDAENV_ROOT/versions/12.6.0/include/cudnn.h" ]
	[ "$(find "$CUDAENV_ROOT/versions/12.6.0" "$n" -printf '%p %i %m %T@ %l\n' | sort | sha256sum)" = "$before" ]
	# It stays whole when the cuDNN goes.
	cudaenv cudnn uninstall 9.3.0
	[ -f "$p/lib64/libcudnn.so.9" ]
	cudaenv prune -n
	assert_stdout ""
	cudaenv cudnn install 9.3 --cuda 12
	cudaenv uninstall both
	assert_status 0
	refute_exists "$p"
	[ -f "$n/9.3.0-cuda12/lib64/libcudnn.so.9" ]
	[ ! -e "$CUDAENV_ROOT/versions/12.6.0/include/cudnn.h" ] && [ -x "$CUDAENV_ROOT/versions/12.6.0/bin/nvcc" ]
}

@test "other products by the same way" {
	fake "$T/mirror" 2.0.2.5 redist --cuda 11,12 --product cutensor
	cudaenv product install cutensor 2.0
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/cutensor/2.0.2-cuda12"
	grep -q cublasLt.so.12 "$CUDAENV_ROOT/cutensor/2.0.2-cuda12/lib/libcutensor.so"
	cudaenv product install cutensor 2.0.2-cuda11
	grep -q cublasLt.so.11 "$CUDAENV_ROOT/cutensor/2.0.2-cuda11/lib/libcutensor.so"
	cudaenv product install cutensor 2.0 --cuda 13
	assert_status 4
	assert_stderr_has "has no libraries of cuTENSOR for CUDA 13, the newest are for 12"
	refute_exists "$CUDAENV_ROOT/cutensor/2.0.2-cuda13"
	fake "$T/wheels" 2.1.0 wheel --cuda 12 --product cutensor
	cudaenv product install cutensor "$T"/wheels/*.whl
	assert_stdout "$CUDAENV_ROOT/cutensor/2.1.0-cuda12"
	[ -f "$CUDAENV_ROOT/cutensor/2.1.0-cuda12/lib/libcutensor.so" ]
	cudaenv product list
	assert_stdout_has "cutensor    2.1.0-cuda12"
	cudaenv product prefix cutensor 2.0
	assert_stdout "$CUDAENV_ROOT/cutensor/2.0.2-cuda12"
	cudaenv product uninstall cutensor 2.1.0
	assert_status 0
	cudaenv product install cutensr 2
	assert_stderr_has "did you mean 'cutensor'?"
	cudaenv product install
	assert_status 2
	cudaenv product list-remote
	assert_stdout_has nccl
	cudaenv product list-remote cutensor 2.3
	assert_stdout_has "2.3.1  CUDA 12 and 13"
}
