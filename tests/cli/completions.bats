#!/usr/bin/env bats
# What can stand where a command line ends: asked of the program, and tried in the real shells.
load lib

setup() {
	setup_root
	fake_toolkit 11.8.0
	fake_toolkit 13.0.2
	mkdir -p "$CUDAENV_ROOT/aliases" "$T/tree"
	ln -s 13.0 "$CUDAENV_ROOT/aliases/mine"
	ln -s "$T/tree" "$CUDAENV_ROOT/versions/linked"
	# Everything but the completions themselves only tells how it was called.
	cat >"$T/bin/cudaenv" <<-'EOF'
		#!/bin/sh
		case $1 in
		complete | completions) exec "$CUDAENV" "$@" ;;
		esac
		printf RAN
		printf ' <%s>' "$@"
		echo
	EOF
	printf '#!/bin/sh\n' >"$T/bin/planted-tool"
	chmod 755 "$T/bin/cudaenv" "$T/bin/planted-tool"
	touch a-file
}
teardown() { teardown_root; }

# words WORD...: candidates without their descriptions, in one line.
words() {
	cudaenv complete -- "$@"
	assert_status 0
	assert_stderr ''
	out=$(cut -f1 "$T/stdout" | tr '\n' ' ')
	out=${out% }
}

@test "commands, with what they do" {
	words vers
	assert_stdout "versions version version-name version-origin version-file"
	cudaenv complete -- versi
	[ "$(grep -c "	" "$T/stdout")" -eq 5 ]
	words -q --json help unin
	assert_stdout uninstall
	words complet
	assert_stdout completions
	words no-such-command ''
	assert_stdout ''
}

@test "options, of the command first" {
	words install --pro
	assert_stdout --profile
	words --js
	assert_stdout --json
	words versions -- --ba
	assert_stdout ''
	words versions --ba
	assert_stdout --bare
}

@test "values of options" {
	words install --profile ''
	assert_stdout "minimal default full"
	words install --profile=f
	assert_stdout full
	words env --format ''
	assert_stdout "sh fish json dotenv github cmake modulefile dockerfile"
	words verify --level ''
	assert_stdout "files compile run bandwidth"
	words install --jobs ''
	assert_stdout ''
}

@test "versions: installed ones to select, known ones to install" {
	words local ''
	assert_stdout "13.0.2 11.8.0 linked mine latest system"
	words uninstall 1
	assert_stdout "13.0.2 11.8.0"
	words install 12.6.
	assert_stdout "12.6.3 12.6.2 12.6.1 12.6.0"
	words component l
	assert_stdout list
	words component list 1
	assert_stdout "13.0.2 11.8.0"
	words component remove 13.0.2 ''
	assert_stdout cuda_nvcc
	words component remove 13.0.2 lib
	assert_stdout ''
	CUDAENV_VERSION=13.0 words component remove cu
	assert_stdout cuda_nvcc
	words component which-has 13.0.2 ''
	assert_stdout :files
	words install 13.0.2 12.9.0 8.0.6
	assert_stdout 8.0.61
	words unlink ''
	assert_stdout linked
	words unalias ''
	assert_stdout mine
	words component ''
	assert_stdout "list add remove which-has"
	mkdir -p "$CUDAENV_ROOT/cudnn/9.3.0-cuda12"
	words cudnn l
	assert_stdout "list list-remote local"
	words cudnn install 9.10.
	assert_stdout "9.10.2 9.10.1 9.10.0"
	words cudnn install ./
	assert_stdout :files
	words cudnn uninstall ''
	assert_stdout 9.3.0-cuda12
	words product install cut
	assert_stdout cutensor
	words product install cutensor 2.3
	assert_stdout "2.3.1 2.3.0"
	words bundle ''
	assert_stdout "create verify"
	words bundle create 12.6.
	assert_stdout "12.6.3 12.6.2 12.6.1 12.6.0"
	words bundle verify ''
	assert_stdout :files
	words global 13.0.2 ''
	assert_stdout ''
}

# So that no command of the table comes without: its name, each of its options, and a value or none for each.
@test "every command of the table and every option" {
	local c o
	cudaenv commands
	cp "$T/stdout" "$T/commands"
	words ''
	[ "$out" = "$(tr '\n' ' ' <"$T/commands" | sed 's/ $//')" ] || fail
	while read -r c; do
		words "$c" ''
		"$CUDAENV" help "$c" | sed -n '/^Options:/,/^Global/s/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' >"$T/options"
		words "$c" --
		while read -r o; do
			[[ " $out " == *" $o "* ]] || fail "$c: $o"
		done <"$T/options"
	done <"$T/commands"
}

@test "a SPEC or none before a tool or command" {
	mkdir -p "$CUDAENV_ROOT/shims"
	cudaenv rehash
	words which ''
	assert_stdout nvcc
	words which +1
	assert_stdout "+13.0.2 +11.8.0"
	words which +13.0.2 nv
	assert_stdout nvcc
	words which nvcc ''
	assert_stdout ''
	words exec ''
	assert_stdout ":command 1"
	words exec -- nv
	assert_stdout ":command 2"
	words exec +11.8 -- nv
	assert_stdout ":command 3"
	words exec +11.8 -- nvcc -
	assert_stdout ":command 3"
	words exec +11.8 --
	assert_stdout ''
	words exec +13 ''
	assert_stdout ":command 2"
	words -q exec ls --al
	assert_stdout ":command 2"
}

@test "settings and their words" {
	words config ''
	assert_stdout "list get set unset"
	words config set ver
	assert_stdout verify
	words config get pro
	assert_stdout profile
	words config set offline ''
	assert_stdout "yes no"
	words config get profile ''
	assert_stdout ''
	words config list ''
	assert_stdout ''
}

@test "nothing is said where nothing can be read" {
	printf 'broken\n' >"$T/broken.ini"
	CUDAENV_CATALOG=$T/broken.ini words install 1
	assert_stdout ''
	CUDAENV_ROOT=relative words local ''
	assert_stdout "latest system"
	CUDAENV_ROOT=relative words which ''
	assert_stdout ''
}

@test "completions prints what is installed" {
	local shell
	for shell in bash zsh fish; do
		cudaenv completions $shell
		assert_status 0
		cmp "$T/stdout" "$SOURCE_ROOT/completions/cudaenv.$shell"
	done
	cudaenv completions tcsh
	assert_status 2
	assert_stderr_has "bash, zsh and fish"
}

cases="inst~13.5.~	<install> <13.5.0>
install --prof~mi~	<install> <--profile> <minimal>
install --profile=mi~	<install> <--profile=minimal>
exec +11.8~planted-t~	<exec> <+11.8.0> <planted-tool>
link x a-fi~	<link> <x> <a-file>
config set offl~y~	<config> <set> <offline> <yes>"

# typed_into SHELL...: the cases, by the tab key; $T/start is read first.
typed_into() {
	command -v "$1" >/dev/null && command -v expect >/dev/null || skip "no $1 or no expect"
	status=0
	out=$(TERM=vt100 expect "$SOURCE_ROOT/tests/cli/completions.exp" "$@" <<<"$cases") || status=$?
	assert_status 0
}

@test "typed into bash" {
	echo 'eval "$(cudaenv completions bash)"' >"$T/start"
	typed_into bash --norc --noprofile -i
}

@test "typed into zsh" {
	printf '%s\n' 'autoload -U compinit' 'compinit -u -D' 'eval "$(cudaenv completions zsh)"' >"$T/start"
	typed_into zsh -f -i
}

@test "zsh finds it on fpath" {
	mkdir "$T/functions"
	cp "$SOURCE_ROOT/completions/cudaenv.zsh" "$T/functions/_cudaenv"
	printf '%s\n' 'fpath=("$T/functions" $fpath)' 'autoload -U compinit' 'compinit -u -D' >"$T/start"
	typed_into zsh -f -i
}

# asked LINE: what fish offers for it.
asked() {
	out=$(fish --no-config -c 'cudaenv completions fish | source; complete -C $argv[1]' "cudaenv $1" | cut -f1)
}

@test "asked of fish" {
	command -v fish >/dev/null || skip "no fish"
	asked 'inst'
	assert_stdout install
	asked 'install 13.5.'
	assert_stdout 13.5.0
	asked 'install --profile mi'
	assert_stdout minimal
	asked 'install --profile=mi'
	assert_stdout --profile=minimal
	asked 'exec +11.8'
	assert_stdout +11.8.0
	asked 'exec +11.8.0 planted-t'
	assert_stdout planted-tool
	asked 'link x a-fi'
	assert_stdout a-file
	asked 'config set offline '
	assert_stdout "yes
no"
	asked 'exec +11.8.0 -- planted-t'
	assert_stdout planted-tool
	asked 'exec +11.8.0 --'
	assert_stdout ''
}

@test "files, asked of fish: behind =, in quotes, with blanks and a tilde" {
	command -v fish >/dev/null || skip "no fish"
	mkdir 'a folder' "$HOME/beneath"
	local line
	while IFS=$'\t' read -r line want; do
		asked "$line"
		assert_stdout "$want"
	done <<-'EOF'
		adopt a\ f	a folder/
		adopt "a f	a folder/
		adopt 'a f	a folder/
		install --from=a-f	--from=a-file
		install --from a-f	a-file
		adopt ~/ben	~/beneath/
	EOF
}
