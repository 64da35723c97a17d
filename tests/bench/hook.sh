#!/usr/bin/env bash
# What the hook costs beside no hook, beside one that starts one static process whenever the folder changed, and
# beside peers that are here: tests/bench/hook.sh [CUDAENV [SHIM [ROUNDS]]]
#   prompt   Enter with nothing typed            same     cd inside one project
#   command  a typed command that changes nothing  change   cd between two projects
# "cudaenv" has been in these folders before; "first" forgets them in front of each cd.
# Medians of ROUNDS rounds in microseconds; behind them the medians of the per-round ratios to the static process
# (same, change) or the difference to no hook (prompt, command). Process counts do not depend on the machine's mood.
# shellcheck disable=SC2016 # the words are for the shells that are measured
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cudaenv=$(realpath "${1:-$here/../../build/src/cli/cudaenv}")
shim=$(realpath "${2:-$here/../../build/shims/cudaenv-shim}")
rounds=${3:-7}
loops=200
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
clean=(env -i "PATH=/usr/bin:/bin" "HOME=$T" "CUDAENV_ROOT=$T/root" "CUDAENV_SHIM=$shim" "PYENV_ROOT=$T/pyenv"
	DIRENV_LOG_FORMAT=)

# In front of other work where that is allowed, so that only what is measured counts; peers with threads on all cores.
first=() alone=()
if chrt -f 5 true 2>/dev/null; then first=(chrt -f 5) alone=(taskset -c 1); fi
if ! taskset -c 1 true 2>/dev/null; then alone=(); fi

echo 'int main(void) { return 0; }' >"$T/static.c"
"$(command -v musl-gcc || command -v cc)" -Os -static -s -o "$T/static" "$T/static.c"
cc -O2 -D_GNU_SOURCE -o "$T/rounds" "$here/rounds.c"

deep=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27
mkdir -p "$T/a/1/2/x" "$T/a/1/2/y" "$T/b/1/2/x" "$T/a/1/2/3/$deep/x" "$T/a/1/2/3/$deep/y" "$T/b/1/2/3/$deep/x"
for p in a b; do
	echo 'export MINE=1' >"$T/$p/.envrc"
	if command -v direnv >/dev/null; then "${clean[@]}" direnv allow "$T/$p/.envrc"; fi
done

# versions N SPEC_A SPEC_B: so many installed ones.
versions() {
	rm -rf "$T/root/versions"
	mkdir -p "$T/root/versions"
	local i
	for v in 11.8.0 $(seq -f '12.%g.1' 1 $(($1 > 1 ? $1 - 1 : 1))); do mkdir -p "$T/root/versions/$v/bin" "$T/root/versions/$v/lib64"; done
	echo "$2" >"$T/a/.cuda-version"
	echo "$3" >"$T/b/.cuda-version"
}

# start_up SHELL HOOK
start_up() {
	case $2:$1 in
	none:*) ;;
	cudaenv:* | first:*) "${clean[@]}" "$cudaenv" init "$1" ;;
	static:bash) echo "h() { [[ \$PWD == \"\$l\" ]] || { l=\$PWD; x=\$($T/static); }; }; l=; PROMPT_COMMAND=h" ;;
	static:zsh) echo "h() { x=\$($T/static) }; chpwd_functions=(h)" ;;
	static:fish) echo "function h --on-variable PWD; set -g x ($T/static); end" ;;
	direnv:*) direnv hook "$1" ;;
	pyenv:bash | pyenv:zsh) echo 'PATH="'"${PYENV_BIN%/*}"':$PATH"; eval "$(pyenv virtualenv-init -)"' ;;
	esac
	case $2:$1 in
	first:bash) echo 'function cd { builtin cd "$@" || return; __cudaenv_known=() __cudaenv_n=0; __cudaenv_find; }' ;;
	first:zsh) echo 'forget() { __cudaenv_known=() __cudaenv_n=0 }; chpwd_functions=(forget $chpwd_functions)' ;;
	first:fish) echo 'functions -c cd bare_cd; function cd; __cudaenv_forget; bare_cd $argv; end' ;;
	esac
}

body() {
	case $1 in
	bash) cat <<-'B'
		t() { local n=$1 s i; s=${EPOCHREALTIME/./}; for ((i = 0; i < n; i++)); do eval "$2"; done; echo $(((${EPOCHREALTIME/./} - s) * 100 / n)); }
		p=${PROMPT_COMMAND:-:}; r() { eval "$p"; }
		cd "$1"; r; cd "$2"; r; cd "$1"; r
		t $4 r; t $4 r; t $4 'cd "$A"; r; cd "$B"; r'; t $5 'cd "$A"; r; cd "$C"; r'
		B
		;;
	zsh) cat <<-'B'
		zmodload zsh/datetime
		t() { local n=$1 s i; s=$EPOCHREALTIME; for ((i = 0; i < n; i++)); do eval "$2"; done; printf '%d\n' $(((EPOCHREALTIME - s) * 1e8 / n)); }
		b() { local f; for f in $preexec_functions; do $f; done; }
		r() { local f; for f in $precmd_functions; do $f; done; }
		cd "$1"; b; r; cd "$2"; b; r; cd "$1"; b; r
		t $4 r; t $4 'b; r'; t $4 'b; cd "$A"; r; b; cd "$B"; r'; t $5 'b; cd "$A"; r; b; cd "$C"; r'
		B
		;;
	fish) cat <<-'B'
		function t; set -l s (date +%s%N); for i in (seq $argv[1]); eval $argv[2]; end; math -s0 "("(date +%s%N)" - $s) / 10 / $argv[1]"; end
		function b; emit fish_preexec true; end
		function r; emit fish_postexec true; emit fish_prompt; end
		cd $argv[1]; r; cd $argv[2]; r; cd $argv[1]; r
		t $argv[4] 'emit fish_prompt'; t $argv[4] 'b; r'; t $argv[4] 'b; cd $A; r; b; cd $B; r'; t $argv[5] 'b; cd $A; r; b; cd $C; r'
		B
		;;
	esac
}

# once SHELL HOOK A B C: four times 100 microseconds; the loops of cd make two of them.
once() {
	local n=$loops k=$((loops / 4)) how=() on=("${first[@]}" "${alone[@]}")
	case $2 in
	direnv) n=10 k=5 on=("${first[@]}") ;;
	pyenv) n=3 k=2 on=("${first[@]}") ;;
	esac
	case $1 in
	bash) how=(bash --norc --noprofile) ;;
	zsh) how=(zsh -f -i) ;;
	fish) how=(fish --no-config) ;;
	esac
	"${clean[@]}" "A=$3" "B=$4" "C=$5" "F=$T/a/.cuda-version" timeout --foreground 60 "${on[@]}" "${how[@]}" "$T/$1-$2" "$3" "$4" "$5" "$n" "$k" </dev/null 2>"$T/err" || cat "$T/err" >&2
}

table() {
	local shell=$1 a=$2 b=$3 c=$4 round hook hooks=(none cudaenv first static) i
	[ "${5:-}" = short ] || { command -v direnv >/dev/null && hooks+=(direnv); }
	if [ "${5:-}" != short ] && [ -n "${PYENV_BIN:-}" ] && [ "$shell" != fish ]; then hooks+=(pyenv); fi
	rm -f "$T"/figures-*
	for hook in "${hooks[@]}"; do { start_up "$shell" "$hook"; body "$shell"; } >"$T/$shell-$hook"; done
	for ((round = 0; round < rounds; round++)); do
		for ((i = 0; i < ${#hooks[@]}; i++)); do
			hook=${hooks[(i + round) % ${#hooks[@]}]}
			once "$shell" "$hook" "$a" "$b" "$c" | paste -sd' ' >>"$T/figures-$hook"
		done
	done
	python3 - "$T" "$shell" "${hooks[@]}" <<-'P'
		import statistics as st, sys
		top, shell, hooks = sys.argv[1], sys.argv[2], sys.argv[3:]
		rows = {h: [[int(x) / 100 for x in l.split()] for l in open(f"{top}/figures-{h}")] for h in hooks}
		for r in rows.values():
		    for l in r:
		        l[2] /= 2
		        l[3] /= 2
		def med(f):
		    return st.median(f)
		for h in hooks:
		    cells = []
		    for i, name in enumerate(("prompt", "command", "same", "change")):
		        pairs = list(zip(rows[h], rows["none" if i < 2 else "static"]))
		        cells.append(f"{med([a[i] for a, b in pairs]):9.1f}")
		        cells.append(f"{med([a[i] - b[i] for a, b in pairs]):+8.1f}" if i < 2 else f"{med([a[i] / b[i] for a, b in pairs]):8.3f}")
		    print(f"{shell:5s} {h:8s}", *cells)
	P
}

PYENV_BIN=${PYENV:-$HOME/.pyenv/bin/pyenv}
if [ ! -x "$PYENV_BIN" ] || [ ! -e "${PYENV_BIN%/bin/*}/plugins/pyenv-virtualenv" ]; then PYENV_BIN=; fi
shells=()
for s in bash zsh fish; do if command -v "$s" >/dev/null; then shells+=("$s"); fi; done
head='shell hook        prompt     +us   command     +us      same   ratio    change   ratio'

echo "1. file 3 folders up, 10 installed, exact pins"
echo "$head"
versions 10 12.4.1 11.8.0
for s in "${shells[@]}"; do table "$s" "$T/a/1/2/x" "$T/a/1/2/y" "$T/b/1/2/x"; done
for n in 1 10 100; do
	echo
	echo "2. the same, two-part pins, $n installed"
	versions "$n" 12.1 11.8
	for s in "${shells[@]}"; do table "$s" "$T/a/1/2/x" "$T/a/1/2/y" "$T/b/1/2/x" short; done
done
echo
echo "3. file 31 folders up"
versions 10 12.4.1 11.8.0
for s in "${shells[@]}"; do table "$s" "$T/a/1/2/3/$deep/x" "$T/a/1/2/3/$deep/y" "$T/b/1/2/3/$deep/x" short; done

echo
echo "4. the floor: microseconds of a call, three file tests, a comparison of the variables, a read, one process"
# floor SHELL: medians of rounds.
floor() {
	local key='$PWD|$CUDAENV_VERSION|$CUDAENV_ROOT|$HOME|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX|12|$PATH'
	case $1 in
	bash | zsh)
		body "$1" | sed -n '/^t()/p; /zmodload/p'
		printf '%s\n' "k=\"$key\"" 'f() { :; }'
		[ "$1" = bash ] && read='read -r -N 4097 x <"$F"' || read='read -r -k 4097 -u 0 x <$F'
		printf 't 500 %q\n' : f '[[ ! -e .x && ! -e ../.x && -f $F ]]' "[[ \"$key\" == \"\$k\" ]]" "$read" "x=\$($T/static)"
		;;
	fish)
		body fish | sed -n '/^function t/p'
		printf '%s\n' "set k \"$key\"" 'function f; end'
		printf "t 500 '%s'\n" : f 'test ! -e .x -a ! -e ../.x -a -f $F' "test \"$key\" = \"\$k\"" 'read -z -n 4097 x <$F' "set x ($T/static)"
		;;
	esac >"$T/$1-floor"
	rm -f "$T/figures"
	for ((round = 0; round < rounds; round++)); do once "$1" floor "$T/a/1/2/x" "" "" | paste -sd' ' >>"$T/figures"; done
	python3 -c '
import statistics as st, sys
rows = [[int(x) / 100 for x in l.split()] for l in open(sys.argv[1])]
print(f"{sys.argv[2]:5s}", *(f"{st.median([r[i] - r[0] for r in rows]):8.1f}" for i in range(1, len(rows[0]))))' "$T/figures" "$1"
}
versions 10 12.4.1 11.8.0
for s in "${shells[@]}"; do floor "$s"; done
echo
echo "5. a new bash: ratio to an empty one"
: >"$T/empty"
"${clean[@]}" "$cudaenv" init bash >"$T/new-cudaenv"
echo "eval \"\$($T/static)\"" >"$T/new-static"
echo "eval \"\$($cudaenv init bash)\"" >"$T/new-eval"
rows=('bash --norc' "$T/work" /usr/bin/bash --norc --noprofile "$T/empty")
mkdir -p "$T/work"
row() { rows+=(-- "$1" "$T/work" /usr/bin/bash --norc --noprofile "$2"); }
row 'cudaenv, the file that init --install reads' "$T/new-cudaenv"
row 'eval of one static process' "$T/new-static"
row 'cudaenv, eval "$(cudaenv init bash)"' "$T/new-eval"
if command -v direnv >/dev/null; then echo 'eval "$(direnv hook bash)"' >"$T/new-direnv" && row direnv "$T/new-direnv"; fi
if [ -x /usr/bin/rbenv ]; then echo 'eval "$(rbenv init - bash)"' >"$T/new-rbenv" && row rbenv "$T/new-rbenv"; fi
if [ -x "${PYENV:-$HOME/.pyenv/bin/pyenv}" ]; then
	echo "PATH=\"$(dirname "${PYENV:-$HOME/.pyenv/bin/pyenv}"):\$PATH\"; eval \"\$(pyenv init - bash)\"" >"$T/new-pyenv" && row pyenv "$T/new-pyenv"
fi
"${clean[@]}" "$T/rounds" $((rounds * 5)) "${rows[@]}"

command -v strace >/dev/null || exit 0
echo
echo "6. processes (forks and clones but threads): 20 prompts and 20 cd in one project; 20 changes"
for s in "${shells[@]}"; do
	for what in same change; do
		case $s in
		fish) echo 'for i in (seq 20); cd $A; emit fish_postexec true; emit fish_prompt; cd $O; emit fish_prompt; end' ;;
		zsh) echo 'for i in {1..20}; do cd "$A"; for f in $precmd_functions; do $f; done; cd "$O"; for f in $precmd_functions; do $f; done; done' ;;
		bash) echo 'for i in {1..20}; do cd "$A"; eval "$PROMPT_COMMAND"; cd "$O"; eval "$PROMPT_COMMAND"; done' ;;
		esac >"$T/loop"
		{ start_up "$s" cudaenv; cat "$T/loop"; } >"$T/count"
		o=$T/a/1/2/y
		[ $what = same ] || o=$T/b/1/2/x
		arg=--norc
		[ "$s" != zsh ] || arg=-f
		[ "$s" != fish ] || arg=--no-config
		(cd "$T/a" && "${clean[@]}" "A=$T/a/1/2/x" "O=$o" strace -f -qq -o "$T/trace" -e trace=fork,vfork,clone,clone3,execve "$s" $arg "$T/count")
		printf '%-5s %-7s %s\n' "$s" $what "$(grep -E '(fork|clone3?)\(' "$T/trace" | grep -vc CLONE_THREAD)"
	done
done
