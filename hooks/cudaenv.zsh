# The environment of the CUDA version that applies in the working directory. Pure shell while nothing changed,
# one small static process (the launcher) when something did.

# What the environment was made for: what chose a version ("-": no look yet), the variables that matter, the
# version's prefix, PATH, and the installed versions where those matter.
__cudaenv_want=- __cudaenv_vars= __cudaenv_prefix= __cudaenv_path= __cudaenv_listed=0 __cudaenv_list=
# The folder of the last walk, and the version files that can be there.
__cudaenv_pwd=
typeset -ga __cudaenv_files
: "${__cudaenv_told=}"

# As the shims look: from the physical folder upward. In `file`, empty for none.
function __cudaenv_walk {
	local dir
	if [[ $PWD != "$__cudaenv_pwd" ]]; then
		typeset -g __cudaenv_pwd=$PWD
		__cudaenv_files=()
		dir=${PWD:P}
		while [[ -n ${dir#/} ]]; do
			__cudaenv_files+=($dir/.cuda-version)
			dir=${dir%/*}
		done
		__cudaenv_files+=(/.cuda-version)
	fi
	for file in $__cudaenv_files; do
		[[ ! -e $file && ! -L $file ]] || return 0
	done
	file=
}

# The folders of all versions, in `list`.
function __cudaenv_versions {
	local names
	names=("$root"/{versions,cudnn}/*(N) ${^${(s.:.)CUDAENV_SHARED_ROOTS-}}/{versions,cudnn}/*(N))
	list="$names"
}

# PATH was changed by somebody: whether it still has our folder, and no other version that we left.
function __cudaenv_path_is_right {
	local rest=":${PATH-}:"
	if [[ -n $__cudaenv_prefix ]]; then
		[[ $rest == *":$__cudaenv_prefix/bin:"* ]] || return 1
		rest=${rest/":$__cudaenv_prefix/bin:"/:}
	fi
	[[ $rest != *":$1/versions/"* ]] || return 1
	typeset -g __cudaenv_path=${PATH-}
}

function __cudaenv_tell {
	[[ -n $1 && -o interactive && $__cudaenv_told != *"<$1>"* ]] || return 0
	typeset -g __cudaenv_told="$__cudaenv_told<$1>"
	print -r -- "$1" >&2 || return 0
}

# The launcher's last word.
function __cudaenv_is {
	typeset -g __cudaenv_prefix=$1 __cudaenv_listed=$2
	__cudaenv_tell "$3"
}

function __cudaenv_switch {
	local code
	if code=$(exec "$__cudaenv_launcher" hook zsh 2>/dev/null); then
		eval "$code"
	else
		__cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed"
	fi
}

function __cudaenv_look {
	emulate -L zsh
	local want= file= list= root=${CUDAENV_ROOT:-${HOME-}/.cudaenv}
	local vars="$root|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}"
	if [[ ${CUDAENV_VERSION-} == *[^[:blank:]]* ]]; then
		want="=$CUDAENV_VERSION"
	else
		# Removed or renamed: only the launcher can tell.
		if [[ $PWD -ef . ]]; then __cudaenv_walk; else want="$PWD|"; fi
		[[ -n $file || ! -e $root/version ]] || file=$root/version
		[[ -n $file || ! -e /etc/cudaenv/version ]] || file=/etc/cudaenv/version
		if [[ -f $file && -r $file ]]; then
			want+="<$(<$file)"
		elif [[ -n $file ]]; then
			want+="?$file"
		fi
	fi
	[[ $__cudaenv_listed == 0 ]] || __cudaenv_versions
	if [[ $want == "$__cudaenv_want" && $vars == "$__cudaenv_vars" ]] &&
		[[ $list == "$__cudaenv_list" && ( -z $__cudaenv_prefix || -d $__cudaenv_prefix ) ]]; then
		if [[ ${PATH-} == "$__cudaenv_path" ]] || __cudaenv_path_is_right "$root"; then
			return 0
		fi
	fi
	typeset -g __cudaenv_want=$want __cudaenv_vars=$vars
	if [[ -n $want || -n ${CUDAENV_HOOK-} ]] || ! __cudaenv_path_is_right "$root"; then
		__cudaenv_versions
		__cudaenv_switch
	else
		typeset -g __cudaenv_prefix= __cudaenv_listed=0
	fi
	[[ $__cudaenv_listed == 1 ]] || list=
	typeset -g __cudaenv_list=$list __cudaenv_path=${PATH-}
}

# Behind a command; one line entered with nothing in it costs nothing.
function __cudaenv_precmd {
	emulate -L zsh
	__cudaenv_look
	[[ ! -o interactive ]] || precmd_functions=(${precmd_functions:#__cudaenv_precmd})
}

# In front of a command: others may have changed something meanwhile.
function __cudaenv_preexec {
	emulate -L zsh
	__cudaenv_look
	precmd_functions=(${precmd_functions:#__cudaenv_precmd} __cudaenv_precmd)
}

# Lets `cudaenv shell` change this shell, and the next look see what the command did.
function cudaenv {
	local code __cudaenv_status=0
	if [[ ${1-} == shell || ${1-} == use ]]; then
		code=$(CUDAENV_SHELL=zsh command cudaenv "$@") || return
		eval "$code"
	else
		command cudaenv "$@" || __cudaenv_status=$?
	fi
	rehash
	typeset -g __cudaenv_want=-
	__cudaenv_look
	return $__cudaenv_status
}

# The shims first on PATH, once; the hooks last.
function __cudaenv_start {
	emulate -L zsh
	local shims="${CUDAENV_ROOT:-${HOME-}/.cudaenv}/shims" rest=":${PATH-}:"
	# What a shell with this hook handed over has the version's own folder in front of them.
	if [[ -z ${CUDAENV_HOOK-} || $rest != *":$shims:"* ]]; then
		while [[ $rest == *":$shims:"* ]]; do
			rest="${rest%%":$shims:"*}:${rest#*":$shims:"}"
		done
		rest=${rest#:}
		rest=${rest%:}
		export PATH="$shims${rest:+:$rest}"
	fi
	typeset -ga chpwd_functions precmd_functions preexec_functions
	chpwd_functions=(${chpwd_functions:#__cudaenv_look} __cudaenv_look)
	precmd_functions=(${precmd_functions:#__cudaenv_precmd} __cudaenv_precmd)
	# zsh calls this one in scripts, too.
	[[ ! -o interactive ]] || preexec_functions=(${preexec_functions:#__cudaenv_preexec} __cudaenv_preexec)
}
__cudaenv_start
unfunction __cudaenv_start
