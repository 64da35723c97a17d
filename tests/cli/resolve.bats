#!/usr/bin/env bats
# Shim and commands ask one resolver: in every situation they give one answer, also when it is an error.
load lib
setup() {
	setup_root
	S=$CUDAENV_ROOT/shims
	mkdir -p "$S"
	ln "$SHIM" "$S/nvcc" 2>/dev/null || cp "$SHIM" "$S/nvcc"
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	fake_toolkit 12.4.10
	mkdir "$T/sys"
	FAKE_ROOT=$T/site fake_toolkit 13.0.2
	cp "$prefix/bin/nvcc" "$T/sys/nvcc"
	PATH="$S:$T/sys:$PATH"
	as=()
}
teardown() { teardown_root; }

# agree PATH: that nvcc runs and is named. agree STATUS: all refuse with it, in the same words.
agree() {
	local wanted=$1 words
	if [[ $wanted == /* ]]; then
		capture nvcc
		[ "$(sed -n 2p "$T/stdout")" = "$wanted" ] || fail "shim: wanted $wanted"
		capture "$CUDAENV" exec nvcc
		[ "$(sed -n 2p "$T/stdout")" = "$wanted" ] || fail "exec: wanted $wanted"
		capture "$SHIM" which nvcc
		assert_stdout "$wanted"
		capture "$CUDAENV" which nvcc
		assert_stdout "$wanted"
		return
	fi
	capture "${as[@]}" nvcc
	assert_status "$wanted"
	words=${err#nvcc: cudaenv shim: }
	words=${words%%$'\n'*}
	[ -n "$words" ] || fail 'no message'
	capture "${as[@]}" "$CUDAENV" which nvcc
	assert_status "$wanted"
	assert_stderr_has "$words"
	capture "${as[@]}" "$CUDAENV" exec nvcc
	assert_status "$wanted"
	assert_stderr_has "$words"
	capture "${as[@]}" "$SHIM" version
	assert_status "$wanted"
	assert_stderr_has "$words"
}

installed() { printf '%s' "$CUDAENV_ROOT/versions/$1/bin/nvcc"; }

@test "one answer: nothing, global, file, variable" {
	agree "$T/sys/nvcc"
	echo 11.8 >"$CUDAENV_ROOT/version"
	agree "$(installed 11.8.0)"
	echo 'cu124 # newest 12.4' >.cuda-version
	agree "$(installed 12.4.10)"
	export CUDAENV_VERSION=12.4.1
	agree "$(installed 12.4.1)"
	CUDAENV_VERSION='>=11,<12'
	agree "$(installed 11.8.0)"
	CUDAENV_VERSION='10.2 system'
	agree "$T/sys/nvcc"
	CUDAENV_VERSION='latest'
	agree "$(installed 12.4.10)"
	export CUDAENV_SHARED_ROOTS="$T/site"
	agree "$T/site/versions/13.0.2/bin/nvcc"
}

@test "one answer: aliases, links, folders reached through a link" {
	mkdir -p "$CUDAENV_ROOT/aliases" real/proj links
	ln -s 11 "$CUDAENV_ROOT/aliases/old"
	ln -s "$T/site/versions/13.0.2" "$CUDAENV_ROOT/versions/site"
	echo old >real/.cuda-version
	echo site >links/.cuda-version
	ln -s ../real/proj links/proj
	cd links/proj
	agree "$(installed 11.8.0)"
	cd -P ../../links
	agree "$(installed site)"
}

@test "one refusal: not installed, no version, no file, no root" {
	echo 12.9.1 >.cuda-version
	agree 3
	echo nightly >.cuda-version
	agree 3
	echo '../../../tmp/evil' >.cuda-version
	agree 2
	echo supported >.cuda-version
	agree 2
	rm .cuda-version
	mkdir .cuda-version
	agree 2
	rmdir .cuda-version
	ln -s gone .cuda-version
	agree 7
	export CUDAENV_VERSION=9
	agree 3
	CUDAENV_VERSION='-x'
	agree 2
	CUDAENV_VERSION=12.4 CUDAENV_SHARED_ROOTS=relative agree 2
}

# What is hidden is not "not installed", and nothing else comes in its place.
@test "one refusal: versions that may not be read" {
	modes_count
	echo '12.9 12.4 system' >.cuda-version
	chmod 0 "$CUDAENV_ROOT/versions"
	local spec
	for spec in '' 12.4 12.4.1 latest conda; do
		export CUDAENV_VERSION=$spec
		agree 7
		assert_stderr_has "cannot read '$CUDAENV_ROOT/versions': Permission denied"
	done
	chmod 755 "$CUDAENV_ROOT/versions"
	chmod 0 "$T/site/versions"
	CUDAENV_SHARED_ROOTS=$T/site CUDAENV_VERSION=13.0 agree 7
	assert_stderr_has "cannot read '$T/site/versions'"
	CUDAENV_SHARED_ROOTS=$T/site CUDAENV_VERSION=12.4.1 agree "$(installed 12.4.1)"
}

@test "one answer where the working folder is gone" {
	echo 11.8 >"$CUDAENV_ROOT/version"
	mkdir d
	cd d
	rmdir ../d
	agree "$(installed 11.8.0)"
	cudaenv versions
	assert_status 0
	assert_stdout_has "* 11.8.0"
	assert_stderr ""
}

@test "the origin, and the prefix that was asked for" {
	echo 12.4 >.cuda-version
	cudaenv version
	assert_status 0
	assert_stdout_has 12.4.10
	assert_stdout_has "$PWD/.cuda-version"
	cudaenv version-file
	assert_stdout "$PWD/.cuda-version"
	cudaenv version-name
	assert_stdout 12.4.10
}
