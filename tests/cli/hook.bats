#!/usr/bin/env bats
# The hook in a real shell, $HOOK_SHELL. Processes are counted, nothing is timed.
load lib
load hook
setup() { setup_hook; }
teardown() { teardown_root; }

# In sh's and in fish's words.
is_fish() { [ "$HOOK_SHELL" = fish ]; }
unset_word() { is_fish && echo 'set -e' || echo unset; }

# Environments by name and byte; what a shell itself changes with every command, and venv (PS1), is left out.
sorted() { tr '\0' '\n' <"$1" | grep -avE '^(_|OLDPWD|PWD|SHLVL|PS1)=' | sort; }
assert_same_environment() {
	diff <(sorted "$T/out/before") <(sorted "$T/out/after") >"$T/diff" || fail "$(cat "$T/diff")"
}

# The order of the variables, too, which fish 4 does not keep by itself; but not those of the last command.
assert_same_bytes() {
	local order=(cat)
	! is_fish || order=(sort -z)
	cmp <(grep -zavE '^(_|OLDPWD)=' "$T/out/before" | "${order[@]}") \
		<(grep -zavE '^(_|OLDPWD)=' "$T/out/after" | "${order[@]}") ||
		fail "$(diff <(tr '\0' '\n' <"$T/out/before") <(tr '\0' '\n' <"$T/out/after"))"
}

@test "all variables of the folder's version, and none of it behind it" {
	run_script 'cd $T/b
cd $T/a/1
for v in CUDA_HOME CUDA_PATH CUDA_ROOT CUDAToolkit_ROOT CUDACXX LD_LIBRARY_PATH PATH; do printenv $v >>$T/log; done'
	! is_fish || run_script 'cd $T/b
cd $T/a/1
for v in CUDA_HOME CUDA_PATH CUDA_ROOT CUDAToolkit_ROOT CUDACXX LD_LIBRARY_PATH PATH; printenv $v >>$T/log; end'
	local p
	p=$(version_of 12.4.1)
	assert_status 0
	[ -z "$out$err" ] || fail
	assert_log "$p
$p
$p
$p
$p/bin/nvcc
$p/lib64
$p/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
}

@test "cuDNN follows the folder, the variable and what is installed" {
	fake_cudnn 9.3.0-cuda12
	fake_cudnn 8.9.7-cuda11
	fake_cudnn 8.9.7-cuda12
	echo cudnn=9.3 >>"$T/a/.cuda-version"
	echo cudnn=8 >>"$T/b/.cuda-version"
	local c="printenv CUDNN_ROOT >>\$T/log; printenv LD_LIBRARY_PATH >>\$T/log; echo . >>\$T/log"
	run_script "env -0 >\$T/out/before
cd \$T/a; $c
cd \$T/b; $c
cd \$T/work
env -0 >\$T/out/after
$(is_fish && echo 'set -gx' || echo export) CUDAENV_CUDNN_VERSION$(is_fish && echo ' ' || echo =)8.9
cd \$T/a; $c
$(unset_word) CUDAENV_CUDNN_VERSION
cd \$T/a; $c"
	[ -z "$out$err" ] || fail
	local n=$CUDAENV_ROOT/cudnn a b
	a=$(version_of 12.4.1) b=$(version_of 11.8.0)
	assert_log "$n/9.3.0-cuda12
$n/9.3.0-cuda12/lib:$a/lib64
.
$n/8.9.7-cuda11
$n/8.9.7-cuda11/lib:$b/lib64
.
$n/8.9.7-cuda12
$n/8.9.7-cuda12/lib:$a/lib64
.
$n/9.3.0-cuda12
$n/9.3.0-cuda12/lib:$a/lib64
."
	assert_same_environment
}

@test "a cuDNN that is not there is told once, the toolkit is right all the same" {
	echo cudnn=9.3 >>"$T/a/.cuda-version"
	type_in <<-'EOF'
		cd $T/a
		printenv CUDA_HOME >$T/log
		cd ..
		cd a
		mkdir -p $CUDAENV_ROOT/cudnn/9.3.1-cuda12
		printenv CUDNN_HOME >>$T/log
		printenv CUDNN_HOME >>$T/log
	EOF
	[ "$(grep -o "cudnn '9.3' for CUDA 12 is not installed" <<<"$out" | wc -l)" = 1 ] || fail
	[[ $log == "$(version_of 12.4.1)
$CUDAENV_ROOT/cudnn/9.3.1-cuda12"* ]] || fail "$log"
}

@test "leaving puts back every byte" {
	local text='env -0 >$T/out/before
cd $T/a; cd $T/b; cd 1 2>/dev/null; cd ..; cd $T/a/1/2; cd $T/work
env -0 >$T/out/after'
	run_script "$text"
	assert_same_bytes
	export CUDA_HOME="/usr/local/it's cuda" CUDA_PATH= CUDACXX=$'a\nb;|%\t' LD_LIBRARY_PATH=/x::/y:
	run_script "$text"
	assert_same_bytes
	grep -aqz "^CUDA_PATH=$" "$T/out/after"
	LD_LIBRARY_PATH='' run_script "$text"
	assert_same_bytes
	# Our own folders that the user put there.
	PATH="$CUDAENV_ROOT/current/bin:$PATH:$(version_of 11.8.0)/bin" CUDA_HOME=$(version_of 11.8.0) \
		LD_LIBRARY_PATH=$(version_of 11.8.0)/lib64:/y run_script "$text"
	assert_same_bytes
}

@test "a variable that somebody else changed meanwhile is left alone" {
	run_script "cd \$T/a
export CUDA_HOME=/mine
export LD_LIBRARY_PATH=\"/mine:\$LD_LIBRARY_PATH\"
$(unset_word) CUDA_ROOT
cd \$T/work
echo \"\$CUDA_HOME \$CUDA_PATH \$CUDA_ROOT \$LD_LIBRARY_PATH\" >>\$T/log"
	assert_log "/mine   /mine"
}

@test "universal variables of fish are hidden, not replaced" {
	is_fish || skip 'only fish has them'
	# --no-config has none of them.
	mkdir -p "$XDG_CONFIG_HOME/fish"
	cp "$T/rc" "$XDG_CONFIG_HOME/fish/config.fish"
	as_shell=(fish)
	type_in <<-'EOF'
		set -Ux CUDA_HOME /mine; set -Ux LD_LIBRARY_PATH /x /y
		env -0 >$T/out/before
		cd $T/a
		echo $CUDA_HOME >>$T/log
		cd $T/work
		env -0 >$T/out/after
		set -qg CUDA_HOME LD_LIBRARY_PATH; echo $status >>$T/log
		cd $T/b; cd $T/work
		set -U CUDA_HOME /new
		echo $CUDA_HOME $LD_LIBRARY_PATH >>$T/log
	EOF
	assert_same_environment
	assert_log "$(version_of 12.4.1)
2
/new /x /y"
}

@test "fifty changes leave one entry" {
	local loop='for i in $(seq 50); do cd $T/a; cd $T/b; done'
	is_fish && loop='for i in (seq 50); cd $T/a; cd $T/b; end'
	LD_LIBRARY_PATH=/mine run_script "$loop
echo \"\$PATH\" >>\$T/log
echo \"\$LD_LIBRARY_PATH\" >>\$T/log"
	local p
	p=$(version_of 11.8.0)
	assert_log "$p/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin
$p/lib64:/mine"
}

@test "pushd, popd, cd -, cd .., CDPATH, a failed cd; their own results stay" {
	mkdir -p "$T/cdpath"
	ln -s "$T/b" "$T/cdpath/bee"
	local st='$?'
	! is_fish || st='$status'
	run_script 'cd $T/a
pushd $T/b >/dev/null; echo "1 $CUDA_HOME" >>$T/log
popd >/dev/null; echo "2 $CUDA_HOME" >>$T/log
cd $T/work; echo "3 $CUDA_HOME" >>$T/log
cd - >/dev/null; echo "4 $CUDA_HOME $PWD" >>$T/log
cd /nonexistent 2>/dev/null; echo "5 '"$st"' $CUDA_HOME" >>$T/log
cd ..; echo "6 '"$st"' $CUDA_HOME" >>$T/log
cd; echo "7 $PWD" >>$T/log
'"$(is_fish && echo 'set -g CDPATH $T/cdpath' || echo 'CDPATH=$T/cdpath')"'
cd bee >/dev/null; echo "8 $CUDA_HOME" >>$T/log'
	assert_log "1 $(version_of 11.8.0)
2 $(version_of 12.4.1)
3 
4 $(version_of 12.4.1) $T/a
5 1 $(version_of 12.4.1)
6 0 
7 $HOME
8 $(version_of 11.8.0)"
}

# The same lines with and without the hook.
@test "directory stack, OLDPWD, statuses and history are as without the hook" {
	local lines='cd $T/a
cd $T/b
cd - >>$T/log; echo "$? $PWD $OLDPWD" >>$T/log
pushd $T/b >>$T/log; echo $? >>$T/log; dirs -v >>$T/log
pushd $T/a/1 >>$T/log; dirs -v >>$T/log
pushd >>$T/log; dirs -v >>$T/log
pushd +1 >>$T/log; echo $? $OLDPWD >>$T/log; dirs -v >>$T/log
pushd +9 2>>$T/log; echo $? $OLDPWD >>$T/log
cd /nonexistent 2>>$T/log; echo "$? $PWD $OLDPWD" >>$T/log
popd +1 >>$T/log; echo $? >>$T/log; dirs -v >>$T/log
popd >>$T/log; popd >>$T/log; popd 2>>$T/log; echo $? >>$T/log
cd -P $T/a; cd -L ..; echo $PWD $OLDPWD >>$T/log
cd a b c 2>>$T/log; echo $? >>$T/log
cd --; cd "" 2>>$T/log; echo "$? $PWD" >>$T/log
cd -x 2>>$T/log; echo $? >>$T/log
cd $T/a && cd 1/2 || echo no >>$T/log
fc -l -9 2>>$T/log | sed "s/^[0-9 ]*//" >>$T/log'
	! is_fish || lines='cd $T/a
cd $T/b
cd - >/dev/null; echo "$PWD" >>$T/log; string join : $dirprev "|" $dirnext >>$T/log
pushd $T/b >/dev/null; dirs >>$T/log
pushd $T/a/1 >/dev/null; dirs >>$T/log
pushd >/dev/null; dirs >>$T/log
popd >/dev/null; dirs >>$T/log
prevd >/dev/null; string join : $PWD $dirprev "|" $dirnext >>$T/log
nextd >/dev/null; string join : $PWD $dirprev "|" $dirnext >>$T/log
cd /nonexistent 2>/dev/null; string join : $status $PWD $dirprev >>$T/log
prevd 9 2>/dev/null >/dev/null; echo $status $PWD >>$T/log
popd; popd 2>/dev/null; echo $status $PWD >>$T/log
history --max 9 >>$T/log'
	type_in <<<"$lines"
	local with=$log
	: >"$T/hook"
	rm -f "$HOME/.bash_history"
	type_in <<<"$lines"
	[ "$(wc -l <<<"$log")" -gt 15 ] || fail "$log"
	[ "$with" = "$log" ] || fail "$(diff <(echo "$log") <(echo "$with"))"
}

@test "a script and a shell with one command, started in the folder" {
	cd "$T/a"
	# shellcheck disable=SC2016 # for the inner shell
	local ask='printenv CUDA_HOME; command -v nvcc' script=("$HOOK_SHELL")
	printf '%s\n' '. "$T/hook"' "$ask" >"$T/script"
	case $HOOK_SHELL in
	bash) script+=(--norc) ;;
	zsh) script+=(-f) ;;
	fish) script+=(--no-config) ;;
	esac
	each_says() {
		capture "$@"
		assert_status 0
		assert_stdout "$(version_of 12.4.1)
$(version_of 12.4.1)/bin/nvcc"
	}
	each_says "${script[@]}" "$T/script"
	assert_stderr ""
	each_says "${script[@]}" -c ". \"\$T/hook\"
$ask"
	assert_stderr ""
	each_says "${as_shell[@]}" -i -c "$ask"
	[ "$HOOK_SHELL" != bash ] || BASH_ENV=$T/hook each_says bash -c "$ask"
	echo 9.9.9 >.cuda-version
	capture "${script[@]}" "$T/script"
	[ -z "$err" ] || fail
}

# 12.4.1 is among the versions throughout.
@test "steps in any order: at each the shell has what the launcher says" {
	local seed step home version want
	for seed in 1 2; do
		mkdir -p "$T/c"
		python3 "$BATS_TEST_DIRNAME/hooksteps.py" "$HOOK_SHELL" $seed 80 >"$T/steps"
		type_in <"$T/steps"
		[ "$(wc -l <"$T/log")" -eq 160 ] || fail "$log"
		while read -r step home && read -r version; do
			case $version in
			none | system) want= ;;
			*) want=$(version_of "$version") ;;
			esac
			[ "$home" = "$want" ] ||
				fail "seed $seed, step $step ($(sed -n $((2 * step + 1))p "$T/steps")): $home, not $want" "$log"
		done <"$T/log"
	done
}

@test "a subshell has its own" {
	is_fish && skip "fish has no subshells"
	run_script 'cd $T/a
(cd $T/b; echo "$CUDA_HOME" >>$T/log)
echo "$CUDA_HOME" >>$T/log
d=$(cd $T/b && pwd)
echo "$d" >>$T/log'
	assert_log "$(version_of 11.8.0)
$(version_of 12.4.1)
$T/b"
}

@test "the version file changed, removed, written anew, and nearer, without a cd" {
	type_in <<-'EOF'
		cd $T/a/1
		echo "1 $CUDA_HOME" >>$T/log
		echo 11.8.0 >../.cuda-version
		echo "2 $CUDA_HOME" >>$T/log
		rm ../.cuda-version
		echo "3 $CUDA_HOME" >>$T/log
		echo 12.4 >../.cuda-version
		echo "4 $CUDA_HOME" >>$T/log
		echo 11.8.0 >.cuda-version
		echo "5 $CUDA_HOME" >>$T/log
		mv .cuda-version ../../.cuda-version; rm ../.cuda-version
		echo "6 $CUDA_HOME" >>$T/log
	EOF
	assert_log "1 $(version_of 12.4.1)
2 $(version_of 11.8.0)
3 
4 $(version_of 12.4.1)
5 $(version_of 11.8.0)
6 $(version_of 11.8.0)"
}

@test "another shell's changes: a global pin, a version that comes and goes" {
	echo 12.4 >"$T/a/.cuda-version"
	type_in <<-'EOF'
		echo 11.8.0 >$CUDAENV_ROOT/version
		echo "1 $CUDA_HOME" >>$T/log
		rm $CUDAENV_ROOT/version
		echo "2 $CUDA_HOME" >>$T/log
		cd $T/a
		cp -r $CUDAENV_ROOT/versions/12.4.1 $CUDAENV_ROOT/versions/12.4.10
		echo "3 $CUDA_HOME" >>$T/log
		rm -r $CUDAENV_ROOT/versions/12.4.10
		echo "4 $CUDA_HOME" >>$T/log
		echo 13.0 >.cuda-version
		echo "5 $CUDA_HOME" >>$T/log
		cp -r $CUDAENV_ROOT/versions/12.4.1 $CUDAENV_ROOT/versions/13.0.2
		echo "6 $CUDA_HOME" >>$T/log
	EOF
	assert_log "1 $(version_of 11.8.0)
2 
3 $(version_of 12.4.10)
4 $(version_of 12.4.1)
5 
6 $(version_of 13.0.2)"
}

@test "cudaenv shell, CUDAENV_VERSION, and what hook, shim and command say is one" {
	ln -s "$CUDAENV" "$T/bin/cudaenv"
	mkdir -p "$CUDAENV_ROOT/shims"
	cp "$SHIM" "$CUDAENV_ROOT/shims/nvcc"
	type_in <<-EOF
		cd \$T/a
		cudaenv shell 11.8
		echo "1 \$CUDA_HOME" >>\$T/log
		cudaenv shell --unset; echo "2 \$CUDA_HOME" >>\$T/log
		export CUDAENV_VERSION=11.8.0
		echo "3 \$CUDA_HOME" >>\$T/log
		cudaenv version-name >>\$T/log; nvcc | head -1 >>\$T/log
		$(unset_word) CUDAENV_VERSION
		cudaenv version-name >>\$T/log; nvcc | head -1 >>\$T/log
		cudaenv global 11.8; cd \$T/work; echo "4 \$CUDA_HOME" >>\$T/log
	EOF
	assert_log "1 $(version_of 11.8.0)
2 $(version_of 12.4.1)
3 $(version_of 11.8.0)
11.8.0
nvcc 11.8.0
12.4.1
nvcc 12.4.1
4 $(version_of 11.8.0)"
}

@test "folders with odd names" {
	local name
	for name in 'a b' "it's" 'x"y' '$(touch hacked)' '`touch hacked`' '-n' '*' $'new\nline' '%s;|' 'ü' '\'; do
		mkdir -p "$T/odd/$name/sub"
		echo 12.4.1 >"$T/odd/$name/.cuda-version"
	done
	cp -r "$CUDAENV_ROOT" "$T/odd/\$(touch hacked) root's"
	local loop='for d in *; do cd "./$d/sub"; echo "$CUDA_HOME" >>$T/log; cd ../..; test -z "$CUDA_HOME" || echo stays >>$T/log; done'
	is_fish && loop='for d in *; cd "./$d/sub"; echo "$CUDA_HOME" >>$T/log; cd ../..; test -z "$CUDA_HOME" || echo stays >>$T/log; end'
	cd "$T/odd"
	rmdir nothing 2>/dev/null || :
	local root="$T/odd/\$(touch hacked) root's"
	mv "$root" "$T/\$(touch hacked) root's"
	CUDAENV_ROOT="$T/\$(touch hacked) root's" run_script "$loop"
	[ -z "$err" ] || fail
	[ "$(sort -u <<<"$log")" = "$T/\$(touch hacked) root's/versions/12.4.1" ] || fail "$log"
	[ "$(wc -l <"$T/log")" -eq 11 ]
	[ -z "$(find "$T" -name hacked)" ]
}

@test "through a link the physical folder counts, for hook, shim and command" {
	mkdir -p "$T/real/proj/sub" "$T/links"
	echo 11.8.0 >"$T/real/.cuda-version"
	echo 12.4.1 >"$T/links/.cuda-version"
	ln -s ../real/proj "$T/links/proj"
	run_script 'cd $T/links/proj; echo "$CUDA_HOME" >>$T/log
env "$SHIM" version >>$T/log; env "$CUDAENV" version-name >>$T/log
cd sub; echo "$CUDA_HOME" >>$T/log; cd $T/links; echo "$CUDA_HOME" >>$T/log'
	assert_log "$(version_of 11.8.0)
11.8.0
11.8.0
$(version_of 11.8.0)
$(version_of 12.4.1)"
}

@test "a removed and a renamed working folder" {
	mkdir -p "$T/a/gone" "$T/a/named"
	type_in <<-'EOF'
		cd $T/a/gone
		echo "1 $CUDA_HOME" >>$T/log
		rmdir $T/a/gone


		echo "2 $CUDA_HOME $(env "$SHIM" version)" >>$T/log
		cd $T/a/named; mv $T/a $T/c
		echo "3 $CUDA_HOME" >>$T/log
		cd /; cd $T/c/1; echo "4 $CUDA_HOME" >>$T/log
	EOF
	# fish of this age writes $(...) as (...).
	[[ $log == "1 $(version_of 12.4.1)
2  "* ]] || fail "$log"
	[[ $log == *"3 $(version_of 12.4.1)
4 $(version_of 12.4.1)" ]] || fail "$log"
	[[ $out != *cudaenv:* && $out != *hook* ]] || fail

	# Another folder has its name now.
	type_in <<-'EOF'
		cd $T/c/1
		true
		mv $T/c $T/a; mkdir -p $T/c/1
		true
		echo "$CUDA_HOME" >>$T/log
		cd $T/a
		true
		mv $T/a $T/old; mkdir $T/a
		true
		echo "$CUDA_HOME" >>$T/log
		cd $T/a
		echo "$CUDA_HOME" >>$T/log
	EOF
	[ "$log" = "$(version_of 12.4.1)
$(version_of 12.4.1)" ] || fail "$log"
	[[ $out != *warning* && $out != *rror* ]] || fail
}

@test "no HOME, another HOME, another root, no PATH" {
	cp -r "$CUDAENV_ROOT" "$T/other"
	run_script 'cd $T/a
export HOME=/nonexistent
cd $T/b; echo "$CUDA_HOME" >>$T/log
export CUDAENV_ROOT=$T/other
cd $T/a; echo "$CUDA_HOME" >>$T/log; echo "$PATH" >>$T/log
cd $T/work; echo "$CUDA_HOME" >>$T/log; echo "$PATH" >>$T/log
'"$(unset_word)"' PATH
cd $T/a; echo "$CUDA_HOME $PATH" >>$T/log
cd $T/b; cd $T/work; echo "$CUDA_HOME $PATH" >>$T/log'
	[ -z "$err" ] || fail
	assert_log "$(version_of 11.8.0)
$T/other/versions/12.4.1
$T/other/versions/12.4.1/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin

$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin
$T/other/versions/12.4.1 $T/other/versions/12.4.1/bin
 "
}

@test "each problem once, on one line, on stderr; silent in scripts" {
	echo 9.9.9 >"$T/b/.cuda-version"
	type_in <<-'EOF'
		cd $T/a
		cd $T/b
		cd $T/a
		cd $T/b

		echo "$CUDA_HOME" >>$T/log
	EOF
	assert_log ""
	[ "$(grep -c "cudaenv: version '9.9.9' is not installed" <<<"$out")" -eq 1 ] || fail
	run_script 'cd $T/a; cd $T/b; echo "$CUDA_HOME" >>$T/log'
	assert_log ""
	[ -z "$out$err" ] || fail
}

@test "a launcher that is missing, not executable, of another CPU, or broken" {
	local how
	for how in missing mode cpu broken; do
		rm -f "$T/launcher"
		case $how in
		mode) cp "$SHIM" "$T/launcher" && chmod 644 "$T/launcher" ;;
		cpu) { printf '\177ELF\2\1\1'; head -c 100 /dev/zero; } >"$T/launcher" && chmod 755 "$T/launcher" ;;
		broken) printf '#!/bin/sh\nexit 1\n' >"$T/launcher" && chmod 755 "$T/launcher" ;;
		esac
		CUDAENV_SHIM="$T/launcher" make_hook
		type_in <<-'EOF'
			cd $T/a
			cd $T/b

			cd $T/work
			echo "alive $CUDA_HOME" >>$T/log
		EOF
		assert_log "alive "
		[ "$(grep -c 'cudaenv: cannot run' <<<"$out")" -eq 1 ] || fail "$how"
		[ "$(grep -ciE 'error|denied|no such|unknown|not found' <<<"$out")" -eq 0 ] || fail "$how"
	done
}

@test "a root that may not be read is told once, until it may" {
	local as
	modes_count
	WRAP=("${as[@]}")
	chmod 0 "$CUDAENV_ROOT"
	type_in <<-'EOF'
		cd $T/a

		cd $T/b
		echo "1 $CUDA_HOME" >>$T/log
		chmod 755 $CUDAENV_ROOT
		echo "2 $CUDA_HOME" >>$T/log
	EOF
	assert_log "1 
2 $(version_of 11.8.0)"
	[ "$(grep -c "cudaenv: cannot read '$CUDAENV_ROOT/versions': Permission denied" <<<"$out")" -eq 1 ] || fail
	[ "$(grep -c 'cudaenv:\|rror' <<<"$out")" -eq 1 ] || fail
}

# The leak check of a sanitizer cannot work there, and starts processes.
needs_strace() {
	command -v strace >/dev/null || skip 'strace is not here'
	[[ ${SHIM_KIND:-static} == static* ]] || skip "the shim is $SHIM_KIND"
}

# Threads are none.
processes() { grep -E '(fork|clone3?)\(' "$1" | grep -vc CLONE_THREAD; }

@test "nothing to start: no process at prompts, in one project, or where no version applies" {
	needs_strace
	WRAP=(strace -f -qq -o "$T/trace" -e 'trace=fork,vfork,clone,clone3,execve')
	local few='cd $T/a
cd 1/2
cd ..
' more="" i
	type_in <<<"$few"
	cp "$T/trace" "$T/few"
	for i in 1 2 3 4 5; do
		more+=$'\n\ncd 2\ncd 3\ncd ../..\ntrue\n'
	done
	local deep
	deep=$(printf '/%s' {1..30})
	mkdir -p "$T/a$deep"
	more+="cd \$T/a$deep"$'\n\n\ntrue\ncd ..\n\n'
	type_in <<<"$few$more"
	[ "$(processes "$T/few")" -eq "$(processes "$T/trace")" ] ||
		fail "$(cat "$T/few")" more: "$(cat "$T/trace")"
	[ "$(grep -c 'execve.*"hook"' "$T/trace")" -eq 1 ]
	[ "$(grep -c 'execve.*src/cli/cudaenv' "$T/trace")" -eq 0 ]
	type_in <<<$'cd $T\ncd $T/work\ncd /\n\n'
	[ "$(grep -c 'execve.*"hook"' "$T/trace")" -eq 0 ]
}

@test "a shared root is looked at where the pin needs it, and only there" {
	needs_strace
	FAKE_ROOT="$T/shared" fake_toolkit 13.0.2
	export CUDAENV_SHARED_ROOTS="$T/shared"
	echo 13 >"$T/out/.cuda-version"
	WRAP=(strace -f -qq -o "$T/trace" -e 'trace=open,openat,stat,lstat,newfstatat')
	type_in <<-'EOF'
		cd $T/a
		cd $T/b
		cd $T/a/1
		cd $T/work
		echo "$CUDA_HOME" >>$T/log
	EOF
	assert_log ""
	! grep -F "$T/shared" "$T/trace" || fail
	WRAP=()
	type_in <<-'EOF'
		cd $T/out
		echo "$CUDA_HOME" >>$T/log
		mv $T/shared/versions/13.0.2 $T/shared/versions/13.0.3
		true
		echo "$CUDA_HOME" >>$T/log
	EOF
	assert_log "$T/shared/versions/13.0.2
$T/shared/versions/13.0.3"
}

@test "a change is one process, whatever it is" {
	needs_strace
	WRAP=(strace -f -qq -o "$T/trace" -e 'trace=fork,vfork,clone,clone3,execve')
	type_in <<<$'cd $T/work\ncd $T/work'
	cp "$T/trace" "$T/none"
	type_in <<<$'cd $T/a\ncd $T/b\ncd $T/a\ncd $T/work'
	[ "$(($(processes "$T/trace") - $(processes "$T/none")))" -eq 4 ] ||
		fail "$(cat "$T/trace")"
	[ "$(grep -c 'execve.*"hook"' "$T/trace")" -eq 4 ]
}

@test "nested shells leave what they found" {
	case $HOOK_SHELL in
	fish) export inner='fish --no-config --init-command ". \$T/rc"' ;;
	zsh) export inner='zsh -d' ;;
	*) export inner='bash --rcfile "$T/rc"' ;;
	esac
	CUDA_HOME=/mine type_in <<-'EOF'
		env -0 >$T/out/before
		cd $T/a
		eval $inner
		eval $inner
		eval exec $inner
		echo "$CUDA_HOME $PATH" >>$T/log
		cd $T/b; echo "$CUDA_HOME $PATH" >>$T/log
		cd $T/work
		env -0 >$T/out/after
	EOF
	local rest="$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
	assert_log "$(version_of 12.4.1) $(version_of 12.4.1)/bin:$rest
$(version_of 11.8.0) $(version_of 11.8.0)/bin:$rest"
	assert_same_environment
}

# Each reads its own hook.
other_shells() {
	local shell
	mkdir "$T/zother"
	for shell in bash zsh fish; do "$CUDAENV" init $shell >"$T/hook.$shell"; done
	printf '%s\n' '. "$T/hook.bash"' "PS1='<READY>' PS2=; bind 'set enable-bracketed-paste off'" >"$T/rc.bash"
	printf '%s\n' '. "$T/hook.zsh"' 'PS1="<READY>" PS2= RPS1= ; unsetopt zle prompt_sp prompt_cr' >"$T/zother/.zshrc"
	printf '%s\n' '. "$T/hook.fish"' 'function fish_prompt; end; function fish_greeting; end' \
		'function ask --on-event fish_prompt; printf "<READY>" >/dev/tty; end' >"$T/rc.fish"
	printf '#!/bin/sh\nexec bash --rcfile "$T/rc.bash"\n' >"$T/bin/a-bash"
	printf '#!/bin/sh\nZDOTDIR="$T/zother" exec zsh -d\n' >"$T/bin/a-zsh"
	printf "#!/bin/sh\nexec fish --no-config --init-command '. \$T/rc.fish'\n" >"$T/bin/a-fish"
	chmod 755 "$T"/bin/a-*
}

@test "shells of other kinds within each other: one entry each, and nothing stays" {
	command -v bash && command -v zsh && command -v fish >/dev/null || skip "not all three are here"
	other_shells
	local inner='a-zsh a-fish a-bash' say='echo "$CUDA_HOME $PATH $LD_LIBRARY_PATH" >>$T/log'
	[ "$HOOK_SHELL" != zsh ] || inner='a-fish a-bash a-zsh'
	[ "$HOOK_SHELL" != fish ] || inner='a-bash a-zsh a-fish'
	# shellcheck disable=SC2086 # three words
	set -- $inner
	CUDA_HOME=/mine LD_LIBRARY_PATH=/l type_in <<-EOF
		env -0 >\$T/out/before
		cd \$T/a
		$1
		$say
		cd \$T/b
		exec $2
		$say
		$3
		cd \$T/a
		$say
		cd \$T/work
		env -0 >\$T/out/after
	EOF
	local p q rest="$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
	p=$(version_of 12.4.1) q=$(version_of 11.8.0)
	assert_log "$p $p/bin:$rest $p/lib64:/l
$q $q/bin:$rest $q/lib64:/l
$p $p/bin:$rest $p/lib64:/l"
	# The others are the shells' own.
	ours() { sorted "$T/out/$1" | grep -aE '^(CUD|LD_LIB|PATH)'; }
	diff <(ours before) <(ours after) || fail
}

@test "two versions with one text in nested folders, and a switch by hand between" {
	mkdir -p "$T/a/in"
	echo 12.4.1 >"$T/a/in/.cuda-version"
	run_script 'cd $T/a
export CUDAENV_VERSION=11.8.0
cd in; echo "$CUDA_HOME" >>$T/log; env "$SHIM" version >>$T/log'
	assert_log "$(version_of 11.8.0)
11.8.0"
}

@test "LD_LIBRARY_PATH by the setting, and not in a virtual environment" {
	run_script 'export VIRTUAL_ENV=/venv; cd $T/a; echo "1 $LD_LIBRARY_PATH" >>$T/log'
	assert_log '1 '
	cudaenv config set ld_library_path always
	run_script 'export CONDA_PREFIX=/conda; cd $T/a; echo "2 $LD_LIBRARY_PATH" >>$T/log'
	assert_log "2 $(version_of 12.4.1)/lib64"
	cudaenv config set ld_library_path never
	run_script 'cd $T/a; echo "3 $LD_LIBRARY_PATH" >>$T/log'
	assert_log '3 '
	cudaenv config unset ld_library_path
	type_in <<-EOF
		cd \$T/a
		export VIRTUAL_ENV=/venv
		echo "4 \$LD_LIBRARY_PATH" >>\$T/log
		$(unset_word) VIRTUAL_ENV
		echo "5 \$LD_LIBRARY_PATH" >>\$T/log
	EOF
	assert_log "4 
5 $(version_of 12.4.1)/lib64"
}

@test "version files that are none: a folder, a fifo, an endless one, a dangling link" {
	mkdir -p "$T"/c/1 "$T"/c/2/.cuda-version "$T"/c/3 "$T"/c/4
	mkfifo "$T/c/1/.cuda-version"
	ln -s /dev/zero "$T/c/3/.cuda-version"
	ln -s nowhere "$T/c/4/.cuda-version"
	run_script 'cd $T/a
cd $T/c/1; echo "$CUDA_HOME" >>$T/log; cd $T/a; cd $T/c/2; echo "$CUDA_HOME" >>$T/log
cd $T/a; cd $T/c/3; echo "$CUDA_HOME" >>$T/log; cd $T/a; cd $T/c/4; echo "$CUDA_HOME" >>$T/log'
	assert_log $'\n\n' || [ "$(wc -c <"$T/log")" -eq 4 ] || fail "$log"
	[ -z "$err" ] || fail
}

@test "a huge version file: a page of it is read, and it is told once; odd bytes" {
	local how
	mkdir -p "$T/c"
	head -c 5000000 /dev/zero | tr '\0' 1 >"$T/c/.cuda-version"
	if command -v strace >/dev/null && [[ ${SHIM_KIND:-static} == static* ]]; then WRAP=(strace -f -qq -o "$T/trace" -e trace=read -P "$T/c/.cuda-version"); fi
	type_in <<<$'cd $T/c\n\n\ntrue\ncd $T/a\ncd $T/c\necho "1 $CUDA_HOME" >>$T/log'
	assert_log '1 '
	[ "$(grep -c "is longer than 4096 bytes" <<<"$out")" -eq 1 ] || fail
	[ ! -e "$T/trace" ] || [ "$(awk '{ n += $NF } END { print n + 0 }' "$T/trace")" -lt 100000 ] || fail "$(tail -n 3 "$T/trace")"
	WRAP=()
	for how in '12.4.1\n\0x' '\xff\xfe1\x002\x00' '12.4.1 # gr\xf6\xdfe\n'; do
		printf "$how" >"$T/c/.cuda-version"
		LC_ALL=C.UTF-8 type_in <<<$'cd $T/c\n\ntrue\nhead -c 9999 /dev/zero >.cuda-version\necho "$CUDA_HOME" >>$T/log'
		assert_log ''
		[ "$(grep -c 'cudaenv: ' <<<"$out")" -le 2 ] && [ "$(grep -ci 'warning\|ignored' <<<"$out")" -eq 0 ] || fail "$how"
	done
	printf '\xef\xbb\xbf12.4.1 # gr\xc3\xb6\xc3\x9fe\n' >"$T/c/.cuda-version"
	LC_ALL=C.UTF-8 type_in <<<$'cd $T/c\ntrue\necho "1 $CUDA_HOME" >>$T/log\nhead -c 4097 /dev/zero | tr "\\0" 1 >.cuda-version\necho "2 $CUDA_HOME" >>$T/log'
	assert_log "1 $(version_of 12.4.1)
2 "
}

# --- the shell's own settings, and other hooks

@test "strict shells: errexit, nounset, pipefail, with nothing but HOME set" {
	is_fish && skip "fish has none of these"
	echo 'set -euo pipefail' | tee "$T/before" >"$T/behind"
	as_shell=(env -i "HOME=$HOME" "T=$T" "CUDAENV_ROOT=$CUDAENV_ROOT" TERM=dumb PATH=/usr/bin:/bin "${as_shell[@]}")
	type_in <<-'EOF'
		cd $T/a
		echo "1 $CUDA_HOME" >>$T/log
		cd $T/work

		cd $T/b
		echo "2 $CUDA_HOME $-" >>$T/log
		\x03
		cd $T/work; echo "3 ${CUDA_HOME-unset}" >>$T/log
	EOF
	[[ $log == "1 $(version_of 12.4.1)
2 $(version_of 11.8.0) "*e*"
3 unset" ]] || fail "$log"
	[[ $out != *unbound* && $out != *"not set"* && $out != *cudaenv:* ]] || fail
}

@test "sourced twice: one hook, in its place, as often as it likes" {
	echo '. "$T/hook"; . "$T/hook"' >"$T/behind"
	case $HOOK_SHELL in
	bash)
		echo 'PROMPT_COMMAND=(a b); a() { :; }; b() { echo b >>"$T/log"; }' >"$T/before"
		type_in <<<'declare -p PROMPT_COMMAND >>$T/log'
		assert_log "b
declare -a PROMPT_COMMAND=([0]=\"a\" [1]=\"b\" [2]=\"__cudaenv_hook\")
b"
		local text
		for text in 'a' 'a; ' 'a # note' 'a &' $'a\n' ' '; do
			printf 'a() { :; }; PROMPT_COMMAND=%q\n' "$text" >"$T/before"
			type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log; grep -o __cudaenv_hook <<<"$PROMPT_COMMAND" >>$T/log'
			assert_log "$(version_of 12.4.1)
__cudaenv_hook"
			[[ $out != *syntax* ]] || fail "$text"
		done
		;;
	zsh)
		echo 'precmd_functions=(a b); a() { :; }; b() { echo b >>"$T/log"; }; precmd() { echo p >>"$T/log"; }' >"$T/before"
		type_in <<<$'echo $precmd_functions $chpwd_functions >>$T/log\ncd $T/a\necho "$CUDA_HOME" >>$T/log'
		[[ $log == *"a b __cudaenv_hook"* && $log == *"$(version_of 12.4.1)"* ]] || fail "$log"
		;;
	fish)
		type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log'
		assert_log "$(version_of 12.4.1)"
		;;
	esac
}

@test "the status of the last command stays" {
	local st='$?'
	! is_fish || st='$status'
	type_in <<-EOF
		cd \$T/a
		false
		echo "1 $st" >>\$T/log
		cd /nonexistent
		echo "2 $st" >>\$T/log
		sh -c 'exit 7'
		echo "3 $st" >>\$T/log
		cd
		echo "4 $st" >>\$T/log
	EOF
	assert_log "1 1
2 1
3 7
4 0"
}

@test "traps of errors see those of the user's commands alone" {
	case $HOOK_SHELL in
	bash) echo "set -E; trap 'echo trapped >>\"\$T/log\"' ERR" ;;
	zsh) echo 'TRAPZERR() { echo trapped >>"$T/log" }' ;;
	fish) skip 'fish has no such trap' ;;
	esac >"$T/behind"
	type_in <<-'EOF'
		cd $T/a
		true
		cd $T/b
		false
		true
		cd $T/work
		(exit 7)
		echo "$?" >>$T/log
	EOF
	assert_log "trapped
trapped
7"
}

@test "a cd without the word, an alias for cd, a function called cd" {
	case $HOOK_SHELL in
	bash) echo 'shopt -s autocd; alias cd="cd -P"; shopt -s expand_aliases' ;;
	zsh) echo 'setopt autocd autopushd; alias cd="cd -P"' ;;
	fish) echo 'alias c="cd"' ;;
	esac >"$T/before"
	type_in <<-'EOF'
		$T/a
		echo "1 $CUDA_HOME" >>$T/log
		cd $T/b
		echo "2 $CUDA_HOME" >>$T/log
		..
		echo "3 $CUDA_HOME" >>$T/log
	EOF
	if is_fish; then
		log=$(sed 's/^1 $/1 /' <<<"$log")
	fi
	[[ $log == "1 $(version_of 12.4.1)
2 $(version_of 11.8.0)
3 " ]] || { is_fish && [[ $log == *"2 $(version_of 11.8.0)
3 " ]]; } || fail "$log"
	is_fish && return
	echo 'cd() { builtin cd "$@" && echo mine >>"$T/log"; }' >"$T/before"
	type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log'
	assert_log "mine
$(version_of 12.4.1)"
}

@test "options that change the language: noglob, failglob, nullglob, ksh arrays, noclobber, IFS" {
	echo 12.4 >"$T/a/.cuda-version"
	case $HOOK_SHELL in
	bash) echo 'set -fC; shopt -s failglob nullglob dotglob nocasematch; IFS=/' ;;
	zsh) echo 'setopt sh_word_split ksh_arrays glob_subst warn_create_global csh_null_glob rc_quotes; IFS=/' ;;
	fish) echo 'set -g IFS /' ;;
	esac >"$T/behind"
	type_in <<-'EOF'
		cd $T/a
		echo "1 $CUDA_HOME" >>$T/log
		cd $T/b
		cd $T/work
		echo "2 $CUDA_HOME" >>$T/log
	EOF
	assert_log "1 $(version_of 12.4.1)
2 "
	[[ $out != *cudaenv* || $out != *:*line* ]] || fail
}

@test "a Python virtual environment, made outside and inside, in both orders" {
	local py=
	py=$(PATH=/usr/bin:/bin command -v python3) || skip 'no python3'
	"$py" -m venv --without-pip "$T/venv" 2>/dev/null || skip 'no venv'
	local activate="\$T/venv/bin/activate"
	! is_fish || activate+=.fish
	type_in <<-EOF
		env -0 >\$T/out/before
		cd \$T/a
		source $activate
		echo "1 \$CUDA_HOME \$PATH \$LD_LIBRARY_PATH" >>\$T/log
		deactivate
		echo "2 \$PATH \$LD_LIBRARY_PATH" >>\$T/log
		cd \$T/work
		env -0 >\$T/out/after
		source $activate
		cd \$T/a
		echo "3 \$PATH" >>\$T/log
		deactivate
		echo "4 \$PATH" >>\$T/log
		source $activate
		cd \$T/work
		deactivate
		echo "5 \$PATH" >>\$T/log
		cd \$T/a; source $activate; cd \$T/b; deactivate
		echo "6 \$PATH" >>\$T/log
	EOF
	assert_same_environment
	local p rest="$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
	p=$(version_of 12.4.1)
	assert_log "1 $p $T/venv/bin:$p/bin:$rest 
2 $p/bin:$rest $p/lib64
3 $p/bin:$T/venv/bin:$rest
4 $p/bin:$rest
5 $rest
6 $(version_of 11.8.0)/bin:$rest"
}

@test "direnv, in both orders" {
	local direnv order hook
	direnv=$(PATH=/usr/bin:/bin command -v direnv) || skip 'direnv is not here'
	hook="$direnv hook $HOOK_SHELL"
	mkdir -p "$T/a/in/deep" "$T/d/c"
	cp "$T/b/.cuda-version" "$T/d/c"
	printf 'PATH_add bin\nexport MINE=1\n' | tee "$T/a/.envrc" >"$T/d/.envrc"
	"$direnv" allow "$T/a/.envrc"
	"$direnv" allow "$T/d/.envrc"
	for order in before behind; do
		: >"$T/before" >"$T/behind"
		if is_fish; then echo "$hook | source" >"$T/$order"; else echo "eval \"\$($hook)\"" >"$T/$order"; fi
		echo "$([ "$HOOK_SHELL" = fish ] && echo set -gx DIRENV_LOG_FORMAT "''" || echo "export DIRENV_LOG_FORMAT=")" >>"$T/before"
		type_in <<-'EOF'
			env -0 >$T/out/before
			cd $T/a
			true
			echo "1 $CUDA_HOME $MINE $PATH" >>$T/log
			cd $T/work
			true
			env -0 >$T/out/after
			cd $T/d
			cd c
			true
			echo "2 $CUDA_HOME $MINE $PATH" >>$T/log
			cd $T/work
			true
			echo "3 $PATH" >>$T/log
		EOF
		assert_same_environment
		local rest="$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin" p q
		p=$(version_of 12.4.1) q=$(version_of 11.8.0)
		[ "$(tr : '\n' <<<"$log" | grep -cx "\(. [^:]* 1 \)\?$p/bin")" -eq 1 ] || fail "$order: $log"
		[[ $log == "1 $p 1 "*"$T/a/bin:"*"
2 $q 1 "*"$T/d/bin:"*"
3 $rest" ]] || fail "$order: $log"
	done
}

# direnv saves what it finds, which is ours where it comes behind us, and puts it back when we have left.
@test "direnv that sets variables of ours" {
	local direnv order hook
	direnv=$(PATH=/usr/bin:/bin command -v direnv) || skip 'direnv is not here'
	hook="$direnv hook $HOOK_SHELL"
	printf 'PATH_add bin\nexport CUDA_HOME=/theirs\n' >"$T/a/.envrc"
	mkdir "$T/d" && cp "$T/a/.cuda-version" "$T/d" && echo 'export CUDA_PATH=/theirs' >"$T/d/.envrc"
	"$direnv" allow "$T/a/.envrc"
	"$direnv" allow "$T/d/.envrc"
	export DIRENV_LOG_FORMAT=
	for order in before behind; do
		: >"$T/before" >"$T/behind"
		if is_fish; then echo "$hook | source" >"$T/$order"; else echo "eval \"\$($hook)\"" >"$T/$order"; fi
		type_in <<-'EOF'
			env -0 >$T/out/before
			cd $T/a
			true
			cd $T/a/1
			true
			cd $T/b
			true
			echo "1 $CUDA_HOME $CUDA_PATH $PATH" >>$T/log
			cd $T/d
			true
			cd $T/work
			true
			cd $T/a
			true
			cd $T/work
			true
			env -0 >$T/out/after
		EOF
		assert_same_environment
		local p
		p=$(version_of 11.8.0)
		assert_log "1 $p $p $p/bin:$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
	done
}

# What conda's own functions do with PATH: its folder in front, and out again wherever it stands by then.
conda_function() {
	if is_fish; then
		cat <<-'EOF'
			function conda
			    if test $argv[1] = activate
			        set -gx CONDA_PREFIX $T/conda
			        set -gx PATH $T/conda/bin $PATH
			    else
			        set -e CONDA_PREFIX
			        set -l i (contains -i -- $T/conda/bin $PATH); and set -e PATH[$i]
			    end
			end
		EOF
	else
		cat <<-'EOF'
			conda() {
				if [ "$1" = activate ]; then
					export CONDA_PREFIX="$T/conda" PATH="$T/conda/bin:$PATH"
				else
					unset CONDA_PREFIX
					PATH=":$PATH:"
					PATH="${PATH%%":$T/conda/bin:"*}:${PATH#*":$T/conda/bin:"}"
					PATH="${PATH#:}"
					PATH="${PATH%:}"
				fi
			}
		EOF
	fi
}

@test "conda, activated outside and inside, in both orders" {
	mkdir -p "$T/conda/bin"
	local order p q rest="$CUDAENV_ROOT/shims:$T/bin:/usr/bin:/bin"
	p=$(version_of 12.4.1) q=$(version_of 11.8.0)
	for order in before behind; do
		: >"$T/before" >"$T/behind"
		conda_function >"$T/$order"
		type_in <<-'EOF'
			env -0 >$T/out/before
			cd $T/a
			conda activate x
			echo "1 $CUDA_HOME $PATH $LD_LIBRARY_PATH" >>$T/log
			cd $T/b
			echo "2 $CUDA_HOME $PATH $LD_LIBRARY_PATH" >>$T/log
			conda deactivate
			echo "3 $CUDA_HOME $PATH $LD_LIBRARY_PATH" >>$T/log
			cd $T/work
			env -0 >$T/out/after
			conda activate x
			cd $T/a
			echo "4 $PATH" >>$T/log
			cd $T/work
			echo "5 $PATH" >>$T/log
			conda deactivate
			echo "6 $PATH" >>$T/log
		EOF
		assert_same_environment
		assert_log "1 $p $T/conda/bin:$p/bin:$rest 
2 $q $T/conda/bin:$q/bin:$rest 
3 $q $q/bin:$rest $q/lib64
4 $p/bin:$T/conda/bin:$rest
5 $T/conda/bin:$rest
6 $rest"
	done
}

@test "a version seen before needs no process, unless something differs" {
	needs_strace
	WRAP=(strace -f -qq -o "$T/trace" -e 'trace=execve')
	asked() { grep -c 'execve.*"hook"' "$T/trace"; }
	type_in <<<$'cd $T/a\ncd $T/b\ncd $T/a\ncd $T/b\ncd $T/a\ncd $T/work\ncd $T/a\necho "$CUDA_HOME" >>$T/log'
	assert_log "$(version_of 12.4.1)"
	[ "$(asked)" -eq 4 ] || fail "$(grep '"hook"' "$T/trace")"
	# Another value to give back, a setting, and a version that is gone.
	type_in <<-EOF
		cd \$T/a; cd \$T/work; cd \$T/a; cd \$T/work
		$(is_fish && echo 'set -gx CUDA_HOME /mine' || echo 'export CUDA_HOME=/mine')
		cd \$T/a
		cd \$T/work
		echo "1 \$CUDA_HOME" >>\$T/log
		"\$CUDAENV" config set ld_library_path never >/dev/null 2>&1
		cd \$T/a
		echo "2 \$CUDA_HOME \$LD_LIBRARY_PATH" >>\$T/log
		cd \$T/work
		mv \$CUDAENV_ROOT/versions/12.4.1 \$T/away
		cd \$T/a
		echo "3 \$CUDA_HOME" >>\$T/log
		mv \$T/away \$CUDAENV_ROOT/versions/12.4.1
		echo "4 \$CUDA_HOME" >>\$T/log
	EOF
	assert_log "1 /mine
2 $(version_of 12.4.1) 
3 /mine
4 $(version_of 12.4.1)"
}

@test "a pin with fallbacks, when the first one comes" {
	echo '13.0 12.4' >"$T/a/.cuda-version"
	type_in <<-'EOF'
		cd $T/a
		echo "$CUDA_HOME" >>$T/log
		cp -r $CUDAENV_ROOT/versions/12.4.1 $CUDAENV_ROOT/versions/13.0.2
		echo "$CUDA_HOME" >>$T/log
	EOF
	assert_log "$(version_of 12.4.1)
$(version_of 13.0.2)"
}

@test "a variable that is read-only in the shell is told once, and the shell lives" {
	is_fish && skip "fish has none"
	echo 'export CUDA_HOME=/mine; readonly CUDA_HOME; readonly text=1 root=2 want=3' >"$T/behind"
	type_in <<-'EOF'
		env -0 >$T/out/before
		cd $T/a
		cd $T/b

		echo "$CUDA_HOME" >>$T/log
		cd $T/work
		env -0 >$T/out/after
	EOF
	assert_log /mine
	assert_same_environment
	[ "$(grep -c 'cudaenv: .* read-only in this shell' <<<"$out")" -eq 1 ] || fail
	[ "$(grep -ci 'readonly variable' <<<"$out")" -eq 0 ] || fail
	# PATH, before the hook is read.
	echo 'readonly PATH' >"$T/before"
	: >"$T/behind"
	type_in <<<$'cd $T/a\ncd $T/b\ncd $T/a\necho "$PATH" >>$T/log'
	assert_log "$PATH"
	[ "$(grep -ci 'read-\?only' <<<"$out")" -eq 1 ] && [[ $out == *"cudaenv: "*"read-only in this shell"* ]] || fail
}

@test "POSIX mode, and the options of other shells" {
	case $HOOK_SHELL in
	bash) echo 'set -o posix' ;;
	zsh) echo 'setopt posix_builtins posix_identifiers nounset err_return pipe_fail no_unset ksh_arrays' ;;
	fish) skip "fish has none" ;;
	esac | tee "$T/before" >"$T/behind"
	type_in <<-'EOF'
		env -0 >$T/out/before
		cd $T/a
		echo "1 $CUDA_HOME" >>$T/log
		cd $T/b
		echo "2 $CUDA_HOME" >>$T/log
		cd $T/work
		env -0 >$T/out/after
	EOF
	assert_log "1 $(version_of 12.4.1)
2 $(version_of 11.8.0)"
	assert_same_environment
}

@test "tmux started in a project: a window elsewhere starts clean" {
	command -v tmux >/dev/null || skip 'tmux is not here'
	mkfifo "$T/done"
	local line='env -0 >"$T/out/after"; echo "$CUDA_HOME" >"$T/done"'
	cat >"$T/window" <<-EOF
		cd "\$T/b"
		echo "\$CUDA_HOME" >"\$T/log"
		cd "\$T/work"
		$line
	EOF
	local shell="$HOOK_SHELL"
	case $HOOK_SHELL in
	bash) shell='bash --norc' ;;
	zsh) shell='zsh -f' ;;
	fish) shell='fish --no-config' ;;
	esac
	export window="$shell -c '. \"\$T/hook\"; . \"\$T/window\"'"
	run_script 'cd $T/work
env -0 >$T/out/before
cd $T/a
tmux -S $T/socket -f /dev/null new-session -d "$window"
cat $T/done'
	assert_status 0
	[ "$(cat "$T/log")" = "$(version_of 11.8.0)" ] || fail
	local name
	for name in $(sorted "$T/out/before" | grep -a CUDA | cut -d= -f1) CUDA_HOME CUDACXX CUDAENV_HOOK LD_LIBRARY_PATH PATH; do
		[ "$(sorted "$T/out/before" | grep -a "^$name=")" = "$(sorted "$T/out/after" | grep -a "^$name=")" ] || fail "$name"
	done
}

@test "sudo -s starts clean, also with the whole environment kept" {
	sudo -n true 2>/dev/null || skip 'no sudo without a password'
	run_script 'cd $T/a
SHELL=/bin/sh sudo -n -s env >$T/out/sudo'
	! is_fish || run_script 'cd $T/a
env SHELL=/bin/sh sudo -n -s env >$T/out/sudo'
	[ "$(grep -ac 'CUDA\|/versions/' "$T/out/sudo")" -eq 0 ] || fail "$(cat "$T/out/sudo")"
	cat >"$T/root" <<-'EOF'
		. "$T/hook"
		cd "$T/work"
		env -0 >"$T/out/after"
	EOF
	local keep="sudo -n -E env \"PATH=\$PATH\" $HOOK_SHELL"
	run_script "cd \$T/work
env -0 >\$T/out/before
cd \$T/a
$keep \$T/root"
	assert_status 0
	local name
	for name in CUDA_HOME CUDA_PATH CUDACXX CUDAENV_HOOK LD_LIBRARY_PATH PATH; do
		[ "$(sorted "$T/out/before" | grep -a "^$name=")" = "$(sorted "$T/out/after" | grep -a "^$name=")" ] || fail "$name"
	done
}

@test "prompt programs of others, in both orders" {
	local order
	for order in before behind; do
		: >"$T/before" >"$T/behind"
		case $HOOK_SHELL in
		bash) echo 'starship_precmd() { STARSHIP_CMD_STATUS=$?; echo "s $STARSHIP_CMD_STATUS" >>"$T/log"; return $STARSHIP_CMD_STATUS; }
PROMPT_COMMAND="starship_precmd${PROMPT_COMMAND:+;$PROMPT_COMMAND}"' ;;
		zsh) echo 'starship_precmd() { echo "s $?" >>"$T/log"; }; precmd_functions+=(starship_precmd)' ;;
		# Its prompt is a function; "behind" the one of the tests takes its place, so this one is an event.
		fish) echo 'function starship --on-event fish_prompt; echo "s $status" >>"$T/log"; end' ;;
		esac >"$T/$order"
		type_in <<<$'cd $T/a\nsh -c "exit 5"\necho "$CUDA_HOME" >>$T/log'
		assert_log "s 0
s 0
s 5
$(version_of 12.4.1)
s 0"
	done
}

@test "init --install edits the start-up file once, --uninstall takes it out" {
	local rc=$HOME/.bashrc
	[ "$HOOK_SHELL" != zsh ] || rc=$HOME/.zshrc
	[ "$HOOK_SHELL" != fish ] || rc=$XDG_CONFIG_HOME/fish/config.fish
	mkdir -p "${rc%/*}" "$T/dotfiles"
	printf '# mine\r\n\n# >>> other >>>\nset x=1\n# <<< other <<<\n\xff\n' >"$T/dotfiles/rc"
	chmod 600 "$T/dotfiles/rc"
	ln -s "$T/dotfiles/rc" "$rc"
	cp "$T/dotfiles/rc" "$T/was"
	cudaenv init "$HOOK_SHELL" --install
	assert_status 0
	assert_stdout ''
	cp "$T/dotfiles/rc" "$T/once"
	cudaenv init "$HOOK_SHELL" --install
	assert_stderr_has already
	cmp "$T/dotfiles/rc" "$T/once"
	[ -L "$rc" ] && [ "$(stat -c %a "$T/dotfiles/rc")" = 600 ]
	[ "$(head -c "$(stat -c %s "$T/was")" "$T/once" | cmp - "$T/was" && echo same)" = same ]
	cmp "$CUDAENV_ROOT/hook.$HOOK_SHELL" "$T/hook"
	# Of another release of cudaenv.
	echo old >"$CUDAENV_ROOT/hook.$HOOK_SHELL"
	cudaenv rehash
	assert_status 0
	cmp "$CUDAENV_ROOT/hook.$HOOK_SHELL" "$T/hook"
	[ "$(echo "$CUDAENV_ROOT"/hook.*)" = "$CUDAENV_ROOT/hook.$HOOK_SHELL" ]
	cudaenv init "$HOOK_SHELL" --uninstall
	assert_status 0
	cmp "$T/dotfiles/rc" "$T/was"
	refute_exists "$CUDAENV_ROOT/hook.$HOOK_SHELL"
	cudaenv init "$HOOK_SHELL" --uninstall
	assert_status 0
	cmp "$T/dotfiles/rc" "$T/was"

	# Where there is none yet; and a shell that reads it.
	rm "$rc"
	cudaenv init "$HOOK_SHELL" --install
	case $HOOK_SHELL in
	bash) as_shell=(bash) && echo "PS1='<READY>'; bind 'set enable-bracketed-paste off'" >>"$rc" ;;
	zsh) as_shell=(zsh -d) && echo 'PS1="<READY>"; unsetopt zle prompt_sp prompt_cr' >>"$rc" ;;
	fish) as_shell=(fish) && printf '%s\n' 'function fish_prompt; end' \
		'function ask --on-event fish_prompt; printf "<READY>" >/dev/tty; end' >>"$rc" ;;
	esac
	type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log'
	assert_log "$(version_of 12.4.1)"
	# A shell that was told of no root, and one that was told of another.
	local here=$CUDAENV_ROOT
	mkdir -p "$T/other root/versions" && cp -r "$here/versions/12.4.1" "$T/other root/versions/"
	unset CUDAENV_ROOT
	type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log'
	assert_log "$here/versions/12.4.1"
	CUDAENV_ROOT="$T/other root" type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log'
	assert_log "$T/other root/versions/12.4.1"
	export CUDAENV_ROOT=$here
	# A root that is gone leaves a shell that starts without a word.
	mv "$CUDAENV_ROOT" "$T/away"
	type_in <<<$'cd $T/a\necho alive >>$T/log'
	assert_log alive
	[[ $out != *hook* ]] || fail

	printf '# >>> cudaenv >>>\nmine\n' >"$rc"
	cp "$rc" "$T/was"
	cudaenv init "$HOOK_SHELL" --uninstall
	assert_status 1
	assert_stderr_has "no '# <<< cudaenv <<<' behind it"
	cmp "$rc" "$T/was"
	cudaenv init "$HOOK_SHELL" --install --uninstall
	assert_status 2
}

# As sshd starts it: no terminal, little in the environment, and standard input a socket, by which bash tells.
remote() {
	env -i "HOME=$HOME" PATH=/usr/bin:/bin SSH_CLIENT='::1 1 22' "T=$T" LC_ALL=C "$@" python3 -c '
import os, socket, subprocess, sys
ends = socket.socketpair()
sys.exit(subprocess.run(sys.argv[1:], stdin=ends[0]).returncode)' "$HOOK_SHELL" -c "$command"
}

@test "a remote command has the version of the folder that it goes to, or starts in" {
	cudaenv init "$HOOK_SHELL" --install
	local more=() command='cd "$T/a" && printenv CUDA_HOME && command -v nvcc'
	case $HOOK_SHELL in
	bash)
		mkdir "$T/try"
		echo 'echo read' >"$T/try/.bashrc"
		[ "$(HOME=$T/try && command=true && remote)" = read ] || skip "this bash reads no file for sshd"
		;;
	# Of zsh's files only this one is read.
	zsh) mv "$HOME/.zshrc" "$HOME/.zshenv" ;;
	fish) more=("XDG_CONFIG_HOME=$XDG_CONFIG_HOME") ;;
	esac
	capture remote "${more[@]}"
	assert_status 0
	assert_stdout "$(version_of 12.4.1)
$(version_of 12.4.1)/bin/nvcc"
	assert_stderr ""
	cd "$T/b"
	command='printenv CUDA_HOME'
	capture remote "${more[@]}"
	assert_stdout "$(version_of 11.8.0)"
}

@test "init --install: login shells that would not read the file are told" {
	[ "$HOOK_SHELL" = bash ] || skip "others read it"
	told() {
		cudaenv init bash --install
		assert_status 0
		[ "$(grep -c "warning: login shells (ssh, tmux) do not read '$HOME/.bashrc': $1" <<<"$err")" -eq "$2" ] || fail
	}
	told "there is no .bash_profile or .profile" 1
	assert_stderr_has "at the end of ~/.bash_profile"
	echo '[ -z "$BASH" ] || . ~/.bashrc' >"$HOME/.profile"
	told '' 0
	echo 'export A=1' >"$HOME/.bash_profile"
	told "'$HOME/.bash_profile' does not name it" 1
	echo '. ~/.bashrc' >>"$HOME/.bash_profile"
	told '' 0
	capture bash -l -c 'printenv PATH'
	assert_stdout_has "$CUDAENV_ROOT/shims:"
}

@test "a shell without a pin starts no process of ours" {
	needs_strace
	WRAP=(strace -f -qq -o "$T/trace" -e 'trace=execve')
	type_in <<<$'\n'
	[ "$(grep -cE 'cudaenv-shim|src/cli/cudaenv' "$T/trace")" -eq 0 ] || fail "$(cat "$T/trace")"
}

@test "a build folder of another version is told once, and the version applies" {
	mkdir "$T/a/build"
	echo "CMAKE_CUDA_COMPILER:FILEPATH=$(version_of 11.8.0)/bin/nvcc" >"$T/a/build/CMakeCache.txt"
	type_in <<<$'cd $T/a\necho "$CUDA_HOME" >>$T/log\ncd $T/b\ncd $T/a'
	assert_log "$(version_of 12.4.1)"
	[ "$(grep -c 'is configured by CMake for CUDA 11.8.0, but 12.4.1 is selected' <<<"$out")" -eq 1 ] || fail
	run_script 'cd $T/a'
	[ -z "$out$err" ] || fail
}
