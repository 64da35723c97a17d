#!/usr/bin/env bats
# Which version applies, and the commands that pin one.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

@test "nothing pinned: system" {
	cudaenv version
	assert_status 0
	assert_stdout "system (nothing selects a version)"
	cudaenv version-name
	assert_stdout system
	cudaenv version-origin
	assert_stdout default
	cudaenv version-file
	assert_stdout "$CUDAENV_ROOT/version"
	cudaenv global
	assert_stdout system
	cudaenv local
	assert_status 1
	assert_stdout ""
	assert_stderr_has "there is no .cuda-version"
}

@test "variable before file before global pin" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	fake_toolkit 13.0.2
	cudaenv global 12.4
	assert_status 0
	cudaenv version
	assert_stdout "12.4.1 (from 12.4, set by '$CUDAENV_ROOT/version')"
	cudaenv local 11
	cudaenv version
	assert_stdout "11.8.0 (from 11, set by '$T/work/.cuda-version')"
	cudaenv version-origin
	assert_stdout "$T/work/.cuda-version"
	CUDAENV_VERSION=13 cudaenv version
	assert_stdout "13.0.2 (from 13, set by CUDAENV_VERSION)"
	CUDAENV_VERSION=13 cudaenv version-origin
	assert_stdout CUDAENV_VERSION
	CUDAENV_VERSION=13 cudaenv version-file
	assert_stdout "$CUDAENV_ROOT/version"
	mkdir -p a/b
	cd a/b
	cudaenv version-file
	assert_stdout "$T/work/.cuda-version"
	cudaenv local
	assert_stdout 11
}

@test "local writes what was typed, normalised" {
	fake_toolkit 12.4.1
	local words
	for words in "12.4.1 12.4.1" "12.4 12.4" "cu124 12.4" "v12.4 12.4" "cuda-12.4 12.4" "12.x 12" \
		"latest 12.4.1" "latest:12 12.4.1" "system system"; do
		cudaenv local "${words% *}"
		assert_status 0
		assert_stdout ""
		[ "$(cat .cuda-version)" = "${words#* }" ] || fail "$words"
	done
	cudaenv local '>=12,<13'
	[ "$(cat .cuda-version)" = '>=12,<13' ]
	cudaenv version-name
	assert_stdout 12.4.1
}

@test "local keeps comments, other lines and keys of the file" {
	fake_toolkit 12.4.1
	printf '# for the sm_70 box\r\n11.8 system # do not raise\r\ncudnn=9.3\r\n' >.cuda-version
	cudaenv local 12.4
	assert_status 0
	printf '# for the sm_70 box\r\n12.4 # do not raise\r\ncudnn=9.3\r\n' | cmp - .cuda-version
	cudaenv local --cudnn 9.5
	assert_status 0
	printf '# for the sm_70 box\r\n12.4 # do not raise\r\ncudnn=9.5\r\n' | cmp - .cuda-version
}

@test "local --cudnn adds the line" {
	fake_toolkit 12.4.1
	cudaenv local --cudnn 9.3
	assert_status 2
	refute_exists .cuda-version
	cudaenv local 12.4 --cudnn 9.3
	assert_status 0
	[ "$(cat .cuda-version)" = $'12.4\ncudnn=9.3' ]
	cudaenv local --cudnn ../x
	assert_status 2
	cudaenv local --cudnn latest
	assert_status 2
	[ "$(cat .cuda-version)" = $'12.4\ncudnn=9.3' ]
	cudaenv version-name
	assert_stdout 12.4.1
}

@test "what is not installed is not pinned: status 3 and how to install it" {
	fake_toolkit 12.4.1
	local command
	for command in local global; do
		cudaenv $command 13.0.2
		assert_status 3
		assert_stderr_has "version '13.0.2' is not installed (installed: 12.4.1)"
		assert_stderr_has "hint: cudaenv install 13.0.2"
	done
	refute_exists .cuda-version
	refute_exists "$CUDAENV_ROOT/version"
}

@test "what is no version is refused and nothing is written" {
	local word
	for word in ../../etc /tmp/evil 12.4.1/../../x 'a b' '$(id)' '*' $'12\n13' -- ''; do
		cudaenv local -- "$word"
		[ "$status" -eq 2 ] || [ "$status" -eq 3 ] || fail "$word"
		cudaenv global -- "$word"
		[ "$status" -eq 2 ] || [ "$status" -eq 3 ] || fail "$word"
	done
	refute_exists .cuda-version
	refute_exists "$CUDAENV_ROOT/version"
}

@test "--unset takes the pin away and takes no version" {
	fake_toolkit 12.4.1
	cudaenv local 12
	cudaenv local --unset 12
	assert_status 2
	cudaenv local --unset
	assert_status 0
	refute_exists .cuda-version
	cudaenv local --unset
	assert_status 0
	cudaenv global 12
	cudaenv global --unset
	assert_status 0
	refute_exists "$CUDAENV_ROOT/version"
	refute_exists "$CUDAENV_ROOT/current"
}

@test "global keeps the current link, also when a newer patch comes" {
	fake_toolkit 12.4.0
	cudaenv global 12.4
	[ "$(readlink "$CUDAENV_ROOT/current")" = versions/12.4.0 ]
	fake_toolkit 12.4.10
	fake_toolkit 12.4.9
	cudaenv rehash
	[ "$(readlink "$CUDAENV_ROOT/current")" = versions/12.4.10 ]
	rm -r "$CUDAENV_ROOT/versions/12.4.10"
	cudaenv rehash
	[ "$(readlink "$CUDAENV_ROOT/current")" = versions/12.4.9 ]
	cudaenv global system
	refute_exists "$CUDAENV_ROOT/current"
}

@test "a pin that something nearer hides is told" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	cudaenv local 11.8
	assert_stderr ""
	cudaenv global 12.4
	assert_status 0
	assert_stderr "note: here 11.8 is selected all the same, set by '$T/work/.cuda-version'"
	CUDAENV_VERSION=11.8 cudaenv local 12.4
	assert_status 0
	assert_stderr "note: here 11.8 is selected all the same, set by CUDAENV_VERSION"
}

@test "a version that is asked for but not installed: status 3, and the origin is known" {
	fake_toolkit 12.4.1
	echo 12.9.1 >.cuda-version
	cudaenv version
	assert_status 3
	assert_stdout ""
	assert_stderr_has "version '12.9.1' is not installed (installed: 12.4.1), set by '$T/work/.cuda-version'"
	assert_stderr_has "hint: cudaenv install 12.9.1"
	cudaenv version-origin
	assert_status 0
	assert_stdout "$T/work/.cuda-version"
	cudaenv version-file
	assert_stdout "$T/work/.cuda-version"
	cudaenv versions
	assert_status 0
	assert_stderr_has "12.9.1"
	refute_stdout_has "*"
}

@test "two-part pin: the highest installed patch, numbers compared as numbers" {
	fake_toolkit 12.4.0
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	fake_toolkit 11.10.0
	echo 12.4 >.cuda-version
	cudaenv version-name
	assert_stdout 12.4.1
	rm -r "$CUDAENV_ROOT/versions/12.4.1"
	cudaenv version-name
	assert_stdout 12.4.0
	fake_toolkit 12.4.10
	cudaenv version-name
	assert_stdout 12.4.10
	cudaenv version
	assert_stdout "12.4.10 (from 12.4, set by '$PWD/.cuda-version')"
	cudaenv versions
	assert_stdout_has "  from 12.4, set by '$PWD/.cuda-version'"
	cudaenv latest 11
	assert_stdout 11.10.0
	cudaenv latest 11.1
	assert_status 3
	cudaenv latest
	assert_stdout 12.4.10
}

@test "latest --known asks the catalog" {
	cudaenv latest -k 12.4
	assert_status 0
	assert_stdout 12.4.1
	cudaenv latest -k 99
	assert_status 4
	assert_stdout ""
	cudaenv latest 12
	assert_status 3
	cudaenv latest system
	assert_status 2
}

@test "local supported without a driver: status 9, nothing written" {
	[ ! -e /proc/driver/nvidia/version ] || skip "a driver is here"
	fake_toolkit 12.4.1
	cudaenv local supported
	assert_status 9
	refute_exists .cuda-version
}

@test "shell without its function says how to get it" {
	fake_toolkit 12.4.1
	cudaenv shell 12.4
	assert_status 1
	assert_stdout ""
	assert_stderr_has 'cudaenv init bash --install'
}

@test "shell prints what its function evaluates" {
	fake_toolkit 12.4.1
	CUDAENV_SHELL=bash cudaenv shell 12.4
	assert_stdout "export CUDAENV_VERSION='12.4'"
	CUDAENV_SHELL=fish cudaenv shell 12.4
	assert_stdout "set -gx CUDAENV_VERSION '12.4'"
	CUDAENV_SHELL=zsh cudaenv shell --unset
	assert_stdout "unset CUDAENV_VERSION"
	CUDAENV_SHELL=fish cudaenv shell --unset
	assert_stdout "set -e CUDAENV_VERSION"
	CUDAENV_SHELL=bash cudaenv shell 13
	assert_status 3
	assert_stdout ""
	CUDAENV_SHELL=bash cudaenv shell
	assert_status 1
	CUDAENV_SHELL=bash CUDAENV_VERSION=12.4 cudaenv shell
	assert_stdout "printf '%s\\n' '12.4'"
	CUDAENV_SHELL=tcsh cudaenv shell 12.4
	assert_status 2
	CUDAENV_SHELL=bash cudaenv shell --help
	assert_status 0
	assert_stdout ""
}

@test "init puts shims in front of PATH once and makes shell work" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	cudaenv rehash
	cudaenv global 12.4
	ln -s "$CUDAENV" "$T/bin/cudaenv"
	cat >"$T/try" <<-'EOS'
		eval "$(cudaenv init $SHELL_NAME)"
		eval "$(cudaenv init $SHELL_NAME)"
		echo "$PATH"
		nvcc | head -n 1
		cudaenv shell 11.8
		nvcc | head -n 1
		cudaenv shell
		cudaenv use 12.4.1
		nvcc | head -n 1
		cudaenv shell --unset
		echo "${CUDAENV_VERSION-unset}"
		cudaenv shell 99 2>/dev/null
		echo "$?"
		cudaenv shell --help 2>/dev/null
		cudaenv root
	EOS
	local shell
	for shell in "bash --norc -u" "zsh -f -u"; do
		command -v "${shell%% *}" >/dev/null || continue
		# shellcheck disable=SC2086
		SHELL_NAME=${shell%% *} capture $shell "$T/try"
		assert_status 0
		assert_stderr ""
		assert_stdout "$CUDAENV_ROOT/versions/12.4.1/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin
nvcc 12.4.1
nvcc 11.8.0
11.8
nvcc 12.4.1
unset
3
$CUDAENV_ROOT"
	done
}

@test "init in fish" {
	command -v fish >/dev/null || skip "no fish"
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	cudaenv rehash
	cudaenv global 12.4
	ln -s "$CUDAENV" "$T/bin/cudaenv"
	cat >"$T/try" <<-'EOS'
		cudaenv init fish | source
		cudaenv init fish | source
		string join : $PATH
		nvcc | head -n 1
		cudaenv shell 11.8
		nvcc | head -n 1
		cudaenv shell
		cudaenv shell --unset
		set -q CUDAENV_VERSION; or echo unset
		cudaenv shell 99 2>/dev/null; or echo $status
		cudaenv root
	EOS
	capture fish --no-config "$T/try"
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/versions/12.4.1/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin
nvcc 12.4.1
nvcc 11.8.0
11.8
unset
3
$CUDAENV_ROOT"
}

@test "init moves shims that are on PATH already to the front" {
	ln -s "$CUDAENV" "$T/bin/cudaenv"
	local shims=$CUDAENV_ROOT/shims
	# shellcheck disable=SC2016
	PATH="/usr/bin:$shims:$shims:/bin:$T/bin:$shims" \
		capture bash --norc -c 'eval "$(cudaenv init bash)"; echo "$PATH"'
	assert_stdout "$shims:/usr/bin:/bin:$T/bin"
}

@test "init names what it needs and what it does not know" {
	cudaenv init
	assert_status 2
	assert_stdout ""
	assert_stderr_has 'cudaenv init bash --install'
	cudaenv init fsh
	assert_status 2
	assert_stderr_has "unknown shell 'fsh'"
	cudaenv init dash
	assert_status 2
	assert_stderr_has "no hook for 'dash'"
}
