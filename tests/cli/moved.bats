#!/usr/bin/env bats
# A root that was packed and unpacked elsewhere, as a cache of a build machine does it.
load lib
load redist

restore() {
	serve
	cudaenv install 13.0.2
	assert_status 0
	cudaenv global 13.0.2
	tar -C "$CUDAENV_ROOT" -cf "$T/root.tar" .
	rm -rf "$CUDAENV_ROOT"
	export CUDAENV_ROOT="$T/another place"
	v=$CUDAENV_ROOT/versions
	mkdir "$CUDAENV_ROOT"
	tar -C "$CUDAENV_ROOT" -xmf "$T/root.tar"
}

# What a .pc file says, its blanks without backslashes.
cudart() { sed -n 's/\\//g; s/^cudaroot=//p' "$v/13.0.2/pkg-config/cudart.pc"; }

@test "a root that was restored elsewhere is used as it is" {
	restore
	capture "$CUDAENV_ROOT/shims/nvcc" --version
	assert_status 0
	assert_stdout "nvcc of 13.0.2"
	cudaenv version
	assert_stdout "13.0.2 (set by '$CUDAENV_ROOT/version')"
	cudaenv prefix
	assert_stdout "$v/13.0.2"
	cudaenv which nvcc
	assert_stdout "$v/13.0.2/bin/nvcc"
	[ "$(cd "$CUDAENV_ROOT/current" && pwd -P)" = "$v/13.0.2" ]
	# Nothing but the .pc files names the old place.
	[ -z "$(grep -rl 'the.* root/versions' "$CUDAENV_ROOT" | grep -v '/pkg-config/.*\.pc$')" ]
	[ -z "$(find "$CUDAENV_ROOT" -lname '/*' ! -path '*/ccbin/*')" ]
}

@test "a root that was restored elsewhere: verify says so, rehash mends it" {
	restore
	[ "$(cudart)" = "$T/the root/versions/13.0.2" ]
	cudaenv verify
	assert_status 0
	assert_stderr_has "13.0.2 was moved with its root"
	assert_stderr_has "hint: run 'cudaenv rehash'"
	cudaenv rehash
	assert_status 0
	assert_stderr_has "13.0.2 was moved: its .pc files name '$v/13.0.2' now"
	[ "$(cudart)" = "$v/13.0.2" ]
	[ -z "$(grep -rl 'the.* root/versions' "$CUDAENV_ROOT")" ]
	[ -z "$(find "$v" -name '.new-pc')" ]
	cudaenv verify
	refute_stderr_has moved
	cudaenv rehash
	assert_stderr ''
}

@test "a root that was restored elsewhere: installs, changes and uninstalls go on" {
	fake 13.0.1
	restore
	cudaenv component add 13.0.2 nsight_compute
	assert_status 0
	[ "$(cudart)" = "$v/13.0.2" ]
	cudaenv install 13.0.1
	assert_status 0
	[ "$v/13.0.1/include/cuda/std/version" -ef "$v/13.0.2/include/cuda/std/version" ]
	cudaenv global 13.0.1
	cudaenv uninstall 13.0.1 13.0.2 -f
	assert_status 0
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
}

@test "a home that is read-only, and a system that does not say which one it is" {
	local as
	modes_count
	serve
	chmod 555 "$HOME"
	capture "${as[@]}" "$CUDAENV" install --set-global 13.0.2
	assert_status 0
	capture "${as[@]}" "$CUDAENV" exec nvcc --version
	assert_stdout "nvcc of 13.0.2"
	[ -z "$(ls -A "$HOME")" ]
	capture "${as[@]}" env -u CUDAENV_ROOT "$CUDAENV" install 13.0.2
	assert_status 7
	assert_stderr_has "$HOME/.cudaenv"
	can_mount || return 0
	cudaenv uninstall -f 13.0.2
	# shellcheck disable=SC2016 # for the inner shell
	capture unshare -m bash -c '
		for f in /etc/os-release /usr/lib/os-release /etc/debian_version /etc/lsb-release; do
			[ ! -e $f ] || mount --bind /dev/null $f || exit 99
		done
		"$CUDAENV" install 13.0.2 && "$CUDAENV" list-remote --bare >/dev/null && "$CUDAENV" adopt -n >/dev/null
		s=$?; "$CUDAENV" doctor >/dev/null; [ $? -le 1 ] && exit $s'
	[ "$status" -ne 99 ] || skip "cannot mount"
	assert_status 0
}

@test "a root of another user can be used, and says whose it is when it is to be changed" {
	[ "$(id -u)" -eq 0 ] || skip "needs another user"
	command -v setpriv || skip "there is no setpriv"
	restore
	chmod 755 "$T" "$T/home"
	local as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" test -x "$CUDAENV" || skip "the program is out of another user's reach"
	capture "${as[@]}" "$CUDAENV_ROOT/shims/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
	capture "${as[@]}" "$CUDAENV" versions --bare
	assert_stdout 13.0.2
	capture "${as[@]}" "$CUDAENV" component list 13.0.2
	assert_status 0
	capture "${as[@]}" "$CUDAENV" rehash
	assert_status 7
	assert_stderr_has "$CUDAENV_ROOT/lock"
	assert_stderr_has "ermission denied"
}
