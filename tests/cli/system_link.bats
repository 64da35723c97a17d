#!/usr/bin/env bats
# The machine's link, here always another path than /usr/local/cuda. test_syslink has what needs a file system of
# its own: groups of update-alternatives, packages, stops in between.
load lib

setup() {
	setup_root
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	LINK="$T/usr local/cuda"
	mkdir "$T/usr local"
}

teardown() {
	# The group that one test makes on this machine.
	[ -z "${GROUP:-}" ] || update-alternatives --quiet --remove-all "$GROUP" 2>/dev/null || :
	teardown_root
}

link() { cudaenv system-link --path "$LINK" "$@"; }

owner() {
	cudaenv --json system-link --status --path "$LINK"
	assert_status 0
	python3 -c 'import json, sys; o = json.load(sys.stdin); print(o["owner"], o["version"] or "-")' <<<"$out"
}

@test "to the version that applies, to another one, and back" {
	[ "$(owner)" = "absent -" ]
	echo 12.4 >.cuda-version
	link
	assert_status 0
	assert_stdout ""
	assert_stderr_has "'$LINK' leads to '$CUDAENV_ROOT/versions/12.4.1'"
	[ "$(readlink "$LINK")" = "$CUDAENV_ROOT/versions/12.4.1" ]
	[ "$(owner)" = "ours 12.4.1" ]
	capture "$LINK/bin/nvcc"
	assert_stdout_has "nvcc 12.4.1"
	link 11
	link 11.8
	assert_status 0
	assert_stderr_has "already"
	[ "$(owner)" = "ours 11.8.0" ]
	link --status
	assert_status 0
	assert_stdout_has "owner           cudaenv"
	assert_stdout_has "before          nothing"
	link --restore
	assert_status 0
	assert_stderr_has "as before: nothing"
	refute_exists "$LINK"
	[ -z "$(ls -A "$T/usr local")" ]
	link --restore
	assert_status 1
	assert_stderr_has "cudaenv has not changed '$LINK'"
}

@test "another's link comes back as it was; what is no link stays" {
	mkdir "$T/usr local/cuda-9.2"
	ln -s cuda-9.2 "$LINK"
	[ "$(owner)" = "foreign -" ]
	link 12.4.1
	link --restore
	[ "$(readlink "$LINK")" = cuda-9.2 ]
	rmdir "$T/usr local/cuda-9.2"
	[ "$(owner)" = "dangling -" ]
	rm "$LINK"
	mkdir -p "$LINK/bin"
	[ "$(owner)" = "folder -" ]
	link 12.4.1
	assert_status 2
	assert_stderr_has "'$LINK' is a real folder"
	assert_exists "$LINK/bin"
}

@test "what is in its place since is told for what it is" {
	link 12.4.1
	rm "$LINK"
	mkdir "$LINK"
	link --restore
	assert_status 1
	assert_stderr "cudaenv: '$LINK' was changed by somebody else since; it is a real folder
hint: move it away yourself"
	rmdir "$LINK"
	touch "$LINK"
	link --restore
	assert_stderr_has "it is a file"
	link --status
	refute_stdout_has private
	rm "$LINK"
	cudaenv system-link --path "$T//usr local///cuda/" 11.8.0
	assert_status 0
	link --restore
	assert_status 0
	refute_exists "$LINK"
}

@test "every reader sees the old link or the new one" {
	link 11.8.0
	local seen="$T/seen"
	(
		while [ ! -e "$T/done" ]; do
			"$LINK/bin/nvcc" >/dev/null 2>>"$seen" || echo gone >>"$seen"
		done
	) 3>&- &
	local reader=$! i
	for i in 1 2 3 4; do
		link 12.4.1
		link 11.8.0
	done
	touch "$T/done"
	wait $reader
	[ ! -s "$seen" ] || fail "$(cat "$seen")"
}

@test "who may not write gets the one command, and status 7" {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root and setpriv"
	chmod 755 "$T"
	chmod -R a+rX "$CUDAENV_ROOT"
	mkdir -m 777 "$T/elsewhere"
	# Where others can start it.
	cp "$CUDAENV" "$T/"
	CUDAENV=$T/${CUDAENV##*/}
	as_nobody() {
		capture setpriv --reuid=65534 --regid=65534 --clear-groups \
			env "CUDAENV_ROOT=$CUDAENV_ROOT" "HOME=$T/elsewhere" "$CUDAENV" "$@"
	}
	as_nobody system-link --path "$LINK" 12.4
	assert_status 7
	assert_stderr_has "cannot change '$LINK': Permission denied"
	local hint=${err#*hint: }
	local self=$CUDAENV
	[[ $self != *" "* ]] || self="'$self'"
	[ "$hint" = "sudo env CUDAENV_ROOT='$CUDAENV_ROOT' $self system-link 12.4.1 --path '$LINK'" ] || fail "$hint"
	refute_exists "$LINK"
	refute_exists "$CUDAENV_ROOT/system-link"
	as_nobody system-link --status --path "$LINK"
	assert_status 0
	assert_stdout_has "as another user"
	# The command does it; what root writes is not in the way of the root's owner afterwards.
	rm -f "$CUDAENV_ROOT/lock"
	chown -R 65534:65534 "$CUDAENV_ROOT"
	sudo() { capture "$@"; }
	eval "$hint"
	assert_status 0
	[ "$(readlink "$LINK")" = "$CUDAENV_ROOT/versions/12.4.1" ]
	[ "$(stat -c %u "$CUDAENV_ROOT"/{lock,system-link,system-link/*} | sort -u)" = 65534 ]
	as_nobody system-link --path "$LINK" --restore
	assert_status 7
	assert_stderr_has "system-link --restore --path"
}

@test "a version in a private home: done, with a warning" {
	chmod 755 "$T"
	chmod 700 "$CUDAENV_ROOT"
	link 12.4.1
	assert_status 0
	assert_stderr_has "warning: '$CUDAENV_ROOT' is private: other users cannot follow"
	assert_stderr_has "CUDAENV_ROOT=/opt/cudaenv cudaenv install 12.4.1"
	link --status
	assert_stdout_has "private         $CUDAENV_ROOT"
	chmod 755 "$CUDAENV_ROOT"
	link 12.4.1
	refute_stderr_has warning
}

@test "a group of update-alternatives is led, not broken" {
	[ "$(id -u)" -eq 0 ] && command -v update-alternatives >/dev/null || skip "needs root and update-alternatives"
	GROUP=cudaenv-test-$$
	mkdir "$T/cuda-9.2" "$T/cuda-10.0"
	update-alternatives --quiet --install "$LINK" $GROUP "$T/cuda-9.2" 92
	update-alternatives --quiet --install "$LINK" $GROUP "$T/cuda-10.0" 100
	local before
	before=$(update-alternatives --query $GROUP)
	[ "$(owner)" = "alternatives -" ]
	link 12.4
	assert_status 0
	[ "$(readlink "$LINK")" = /etc/alternatives/$GROUP ]
	[ "$LINK/bin/nvcc" -ef "$CUDAENV_ROOT/versions/12.4.1/bin/nvcc" ]
	update-alternatives --query $GROUP | grep -A1 "$CUDAENV_ROOT" | grep -x 'Priority: 124'
	[ "$(owner)" = "alternatives 12.4.1" ]
	cudaenv uninstall 12.4.1
	assert_status 2
	link --status
	assert_stdout_has "group '$GROUP', mode manual, set by cudaenv"
	assert_stdout_has "before          $T/cuda-10.0 of '$GROUP', mode auto"
	link --restore
	assert_status 0
	[ "$(update-alternatives --query $GROUP)" = "$before" ]
}

@test "what the link leads to is not uninstalled by the way" {
	link 12.4.1
	cudaenv uninstall 12.4.1
	assert_status 2
	assert_stderr_has "'12.4.1' is what '$LINK' leads to"
	assert_exists "$CUDAENV_ROOT/versions/12.4.1/bin/nvcc"
	cudaenv uninstall -f 12.4.1
	assert_status 0
	[ "$(owner)" = "dangling 12.4.1" ]
	link --restore
	assert_status 0
	refute_exists "$LINK"
	cudaenv global 11.8.0
	cudaenv uninstall 11.8.0
	assert_status 2
	assert_stderr_has "'11.8.0' is the global version"
}

@test "'system' is not the link to one of ours" {
	link 12.4.1
	ln -s "$T/usr local/cuda/bin" "$T/linked bin"
	export PATH="$LINK/bin:$T/linked bin:$PATH"
	cudaenv which +system nvcc
	assert_status 127
	printf '#!/bin/sh\necho theirs\n' >"$T/bin/nvcc"
	chmod +x "$T/bin/nvcc"
	cudaenv which +system nvcc
	assert_stdout "$T/bin/nvcc"
	cudaenv exec +system nvcc
	assert_status 0
}

@test "calls that mean nothing" {
	link --status 12.4.1
	assert_status 2
	link --restore --status
	assert_status 2
	link system
	assert_status 2
	assert_stderr_has "cannot lead to 'system'"
	link 9.9
	assert_status 3
	cudaenv system-link --path cuda 12.4.1
	assert_status 2
	cudaenv system-link --path "$CUDAENV_ROOT/current" 12.4.1
	assert_status 2
	assert_stderr_has "always leads to the global version"
	cudaenv system-link --path "$T/none/cuda" 12.4.1
	assert_status 7
	assert_stderr_has "hint: there is no folder '$T/none': make it first"
	cudaenv system-link --path "$T/none/cuda" --status
	assert_stdout_has "may be changed  no, its folder is not there"
	refute_exists "$LINK"
}
