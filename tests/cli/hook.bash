# What the tests of the hook share. $HOOK_SHELL is the shell: bash, zsh or fish.

setup_hook() {
	setup_root
	command -v "$HOOK_SHELL" >/dev/null || skip "$HOOK_SHELL is not here"
	export XDG_CONFIG_HOME="$T/config" XDG_DATA_HOME="$T/data"
	mkdir -p "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$T/a/1/2/3" "$T/b" "$T/out"
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	echo 12.4.1 >"$T/a/.cuda-version"
	echo 11.8.0 >"$T/b/.cuda-version"
	make_hook
	: >"$T/before" >"$T/behind"
}

# The hook's text as a file. $T/before and $T/behind are read around it.
make_hook() {
	"$CUDAENV" init "$HOOK_SHELL" >"$T/hook"
	case $HOOK_SHELL in
	fish) prompt='function fish_prompt; end; function fish_greeting; end
		function ask --on-event fish_prompt; printf "<READY>" >/dev/tty; end' ;;
	zsh) prompt='PS1="<READY>" PS2= RPS1= ; unsetopt zle prompt_sp prompt_cr' ;;
	*) prompt="PS1='<READY>' PS2=; bind 'set enable-bracketed-paste off'" ;;
	esac
	cat >"$T/rc" <<-EOF
		. "\$T/before"
		. "\$T/hook"
		. "\$T/behind"
		$prompt
	EOF
	mkdir -p "$T/zdot"
	cp "$T/rc" "$T/zdot/.zshrc"
	case $HOOK_SHELL in
	fish) as_shell=(fish --no-config --init-command '. $T/rc') ;;
	zsh) as_shell=(env "ZDOTDIR=$T/zdot" zsh -d) ;;
	*) as_shell=(bash --rcfile "$T/rc") ;;
	esac
}

# Texts of tests say $T/x and mean "$T"/x: there is a blank in it.
quote_folders() { sed 's/\$\(T\|CUDAENV_ROOT\)\b/"$\1"/g'; }

# type_in <<LINES: into an interactive shell; $out is the transcript, $log what the lines wrote to $T/log.
type_in() {
	rm -f "$T/log"
	quote_folders | python3 "$BATS_TEST_DIRNAME/terminal.py" ${WRAP[@]+"${WRAP[@]}"} "${as_shell[@]}" "$@" >"$T/stdout" 2>"$T/stderr"
	out=$(tr -d '\0\r' <"$T/stdout") err=$(cat "$T/stderr") status=0
	log=$(cat "$T/log" 2>/dev/null) || log=
}

# run_script TEXT [ARGUMENT...]: without a terminal, in a shell that has read the hook.
run_script() {
	rm -f "$T/log"
	{
		echo '. "$T/before"; . "$T/hook"; . "$T/behind"'
		quote_folders <<<"$1"
	} >"$T/script"
	shift
	local run=("$HOOK_SHELL")
	[ "$HOOK_SHELL" != zsh ] || run+=(-f)
	[ "$HOOK_SHELL" != fish ] || run+=(--no-config)
	[ "$HOOK_SHELL" != bash ] || run+=(--norc)
	capture "${run[@]}" "$@" "$T/script"
	log=$(cat "$T/log" 2>/dev/null) || log=
}

version_of() { printf '%s\n' "$CUDAENV_ROOT/versions/$1"; }
assert_log() { [ "$log" = "$1" ] || fail "wanted log:" "$1" "log:" "$log"; }
