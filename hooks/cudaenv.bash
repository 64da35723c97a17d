# The environment of the CUDA version that applies in the working directory. Pure shell while nothing changed,
# one small static process (the launcher) when something did.

# What the environment was made for: what chose a version ("-": no look yet), the variables that matter, the
# version's prefix, PATH, and the installed versions where those matter.
__cudaenv_want=- __cudaenv_vars= __cudaenv_prefix= __cudaenv_path= __cudaenv_listed=0 __cudaenv_list=
# Where the last walk began, the nearest version file, and how many folders nearer than that have none.
__cudaenv_pwd= __cudaenv_file= __cudaenv_depth=0 __cudaenv_up=()
# For the quick look: variables as they were, the file that chose and its text, the files that would have if they were
# there, and a folder that must be there.
__cudaenv_version= __cudaenv_root= __cudaenv_others= __cudaenv_must=/
__cudaenv_chose= __cudaenv_text= __cudaenv_absent= __cudaenv_absent_too=
: "${__cudaenv_told=}"

# As the shims look: from the physical folder upward. Names serve until one is a link, ".." behind that.
function __cudaenv_walk {
	local dir=$PWD up=.
	# In the project of before: the same file so many folders up.
	if [[ -n $__cudaenv_file && $PWD/ == "${__cudaenv_file%/*}"/* ]]; then
		up=${PWD#"${__cudaenv_file%/*}"}
		up=${up//[!\/]/}
		__cudaenv_depth=${#up}
		[[ -n ${__cudaenv_up[__cudaenv_depth]+x} ]] || __cudaenv_define_near
		if [[ ${__cudaenv_up[__cudaenv_depth]}.cuda-version -ef $__cudaenv_file ]] &&
			! "__cudaenv_near$__cudaenv_depth"; then
			__cudaenv_pwd=$PWD
			return 0
		fi
		up=.
	fi
	__cudaenv_pwd=$PWD __cudaenv_depth=0
	while __cudaenv_file=${dir%/}/.cuda-version && [[ ! -e $__cudaenv_file && ! -L $__cudaenv_file ]]; do
		__cudaenv_depth=$((__cudaenv_depth + 1))
		if [[ $dir == / || ( $dir != /* && ( $dir -ef / || ! -e $dir ) ) ]]; then
			__cudaenv_file=
			break
		fi
		up+=/..
		if [[ $dir != /* || -L $dir ]]; then
			dir=$up
		else
			dir=${dir%/*}
			dir=${dir:-/}
		fi
	done
	[[ -n ${__cudaenv_up[__cudaenv_depth]+x} ]] || __cudaenv_define_near
}

# __cudaenv_nearN: whether one of the N nearest folders has a version file now.
function __cudaenv_define_near {
	local i up= test='-n ""'
	for ((i = 0; i < __cudaenv_depth; i++)); do
		test+=" || -e $up.cuda-version"
		up+=../
	done
	__cudaenv_up[__cudaenv_depth]=$up
	eval "function __cudaenv_near$__cudaenv_depth { [[ $test ]]; }"
}

# The folders of all versions and of all cuDNN, in `list`.
function __cudaenv_versions {
	local root names IFS=:
	! shopt -q failglob || return 0
	names=("$1"/versions/* "$1"/cudnn/*)
	for root in ${CUDAENV_SHARED_ROOTS-}; do
		names+=("$root"/versions/* "$root"/cudnn/*)
	done
	list="${names[*]}"
}

# PATH was changed by somebody: whether it still has our folder, and no other version that we left.
function __cudaenv_path_is_right {
	local rest=":${PATH-}:"
	if [[ -n $__cudaenv_prefix ]]; then
		[[ $rest == *":$__cudaenv_prefix/bin:"* ]] || return 1
		rest=${rest/":$__cudaenv_prefix/bin:"/:}
	fi
	[[ $rest != *":$1/versions/"* ]] || return 1
	__cudaenv_path=${PATH-}
}

function __cudaenv_tell {
	[[ -n $1 && $- == *i* && $__cudaenv_told != *"<$1>"* ]] || return 0
	__cudaenv_told+="<$1>"
	printf '%s\n' "$1" >&2 || return 0
}

# The launcher's last word.
function __cudaenv_is {
	__cudaenv_prefix=$1 __cudaenv_listed=$2
	__cudaenv_tell "$3"
}

function __cudaenv_switch {
	local code
	if code=$(exec "$__cudaenv_launcher" hook bash 2>/dev/null); then
		eval "$code"
	else
		__cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed"
	fi
}

# Whether everything is as at the last look; for prompts. One string of all variables would cost more.
function __cudaenv_is_same {
	[[ $PWD == "$__cudaenv_pwd" && ${CUDAENV_VERSION-} == "$__cudaenv_version" &&
		${CUDAENV_ROOT:-${HOME-}} == "$__cudaenv_root" && ${PATH-} == "$__cudaenv_path" &&
		${CUDAENV_SHARED_ROOTS-},${CUDAENV_CUDNN_VERSION-},${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c} == "$__cudaenv_others" &&
		$PWD -ef . && -d $__cudaenv_must ]] && ! "__cudaenv_near$__cudaenv_depth" || return 1
	if [[ -z $__cudaenv_chose ]]; then
		[[ ! -e $__cudaenv_absent && ! -e $__cudaenv_absent_too ]] || return 1
	elif [[ -f $__cudaenv_chose && -r $__cudaenv_chose && ! -e $__cudaenv_absent ]]; then
		local text
		mapfile -n 4096 text <"$__cudaenv_chose" || return 1
		[[ ${text[*]} == "$__cudaenv_text" ]] || return 1
	else
		return 1
	fi
	[[ $__cudaenv_listed == 1 ]] || return 0
	local list
	__cudaenv_versions "${CUDAENV_ROOT:-${HOME-}/.cudaenv}"
	[[ $list == "$__cudaenv_list" ]]
}

# What chooses a version, in `want`; and what the quick look compares.
function __cudaenv_choose {
	local text
	want= __cudaenv_chose= __cudaenv_absent= __cudaenv_absent_too=
	if [[ ! $PWD -ef . ]]; then
		# Removed or renamed: only the launcher can tell.
		__cudaenv_pwd= __cudaenv_file= want="$PWD|"
	elif [[ $PWD != "$__cudaenv_pwd" || ( -n $__cudaenv_file && ! -e $__cudaenv_file ) ]] ||
		"__cudaenv_near$__cudaenv_depth"; then
		__cudaenv_walk
	fi
	if [[ -n ${CUDAENV_VERSION-} && $CUDAENV_VERSION == *[![:blank:]]* ]]; then
		want="=$CUDAENV_VERSION"
		return 0
	fi
	if [[ -n $__cudaenv_file ]]; then
		__cudaenv_chose=$__cudaenv_file
	elif [[ -e $1/version ]]; then
		__cudaenv_chose=$1/version
	else
		__cudaenv_absent=$1/version __cudaenv_absent_too=/etc/cudaenv/version
		[[ ! -e $__cudaenv_absent_too ]] || __cudaenv_chose=$__cudaenv_absent_too __cudaenv_absent_too=
	fi
	if [[ -f $__cudaenv_chose && -r $__cudaenv_chose ]]; then
		mapfile -n 4096 text <"$__cudaenv_chose" || text=
		__cudaenv_text=${text[*]}
		want+="<$__cudaenv_text"
	elif [[ -n $__cudaenv_chose ]]; then
		want+="?$__cudaenv_chose"
	fi
}

# The same question with everything that cd changes left out; then the launcher.
function __cudaenv_look_closely {
	local want list= root=${CUDAENV_ROOT:-${HOME-}/.cudaenv}
	local vars="$root|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}"
	__cudaenv_choose "$root"
	[[ $__cudaenv_listed == 0 ]] || __cudaenv_versions "$root"
	if [[ $want == "$__cudaenv_want" && $vars == "$__cudaenv_vars" && $list == "$__cudaenv_list" &&
		( -z $__cudaenv_prefix || -d $__cudaenv_prefix ) ]] &&
		{ [[ ${PATH-} == "$__cudaenv_path" ]] || __cudaenv_path_is_right "$root"; }; then
		return 0
	fi
	__cudaenv_want=$want __cudaenv_vars=$vars
	if [[ -n $want || -n ${CUDAENV_HOOK-} ]] || ! __cudaenv_path_is_right "$root"; then
		__cudaenv_versions "$root"
		__cudaenv_switch
	else
		__cudaenv_prefix= __cudaenv_listed=0
	fi
	[[ $__cudaenv_listed == 1 ]] || list=
	__cudaenv_list=$list __cudaenv_path=${PATH-}
}

function __cudaenv_look {
	! __cudaenv_is_same || return 0
	__cudaenv_look_closely
	__cudaenv_version=${CUDAENV_VERSION-} __cudaenv_root=${CUDAENV_ROOT:-${HOME-}}
	__cudaenv_others=${CUDAENV_SHARED_ROOTS-},${CUDAENV_CUDNN_VERSION-},${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}
	__cudaenv_must=${__cudaenv_prefix:-/}
}

function __cudaenv_hook {
	local status=$?
	__cudaenv_is_same || __cudaenv_look
	# A status would end a shell with errexit.
	[[ $- == *e* ]] || return "$status"
}

# Lets `cudaenv shell` change this shell, and the next look see what the command did.
function cudaenv {
	local code status=0
	if [[ ${1-} == shell || ${1-} == use ]]; then
		code=$(CUDAENV_SHELL=bash command cudaenv "$@") || return
		eval "$code"
	else
		command cudaenv "$@" || status=$?
	fi
	hash -r 2>/dev/null || true
	__cudaenv_want=- __cudaenv_pwd=
	__cudaenv_look
	return "$status"
}

# The shims first on PATH, once.
function __cudaenv_start {
	local name shims="${CUDAENV_ROOT:-${HOME-}/.cudaenv}/shims" rest=":${PATH-}:"
	# What a shell with this hook handed over has the version's own folder in front of them.
	if [[ -z ${CUDAENV_HOOK-} || $rest != *":$shims:"* ]]; then
		while [[ $rest == *":$shims:"* ]]; do
			rest="${rest%%":$shims:"*}:${rest#*":$shims:"}"
		done
		rest=${rest#:}
		rest=${rest%:}
		export PATH="$shims${rest:+:$rest}"
	fi

	# So that `cd there && make` has the environment of there; but not over a function of the user's.
	for name in cd pushd popd; do
		declare -F "$name" >/dev/null ||
			eval "function $name { builtin $name \"\$@\" || return; __cudaenv_look; }"
	done
	if [[ ${PROMPT_COMMAND[*]-} != *__cudaenv_hook* ]]; then
		# A list of commands, which bash before 5.1 does not know.
		if [[ ${PROMPT_COMMAND[*]-} != "${PROMPT_COMMAND-}" ]] &&
			((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
			PROMPT_COMMAND+=(__cudaenv_hook)
		else
			PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__cudaenv_hook"
		fi
	fi
}
__cudaenv_define_near
__cudaenv_start
unset -f __cudaenv_start
