# The environment of the CUDA version that applies in the working directory. Pure shell where nothing changed and
# where everything is as it was once before; else one small static process (the launcher).

# __cudaenv_known: a folder and the variables that matter, with the function that tells whether the files are as they
# were at that time and does what was done then, mostly nothing. __cudaenv_numbers: one for each list of installed
# versions, for each CUDAENV_HOOK, and for the variables that the launcher reads.
typeset -gA __cudaenv_known __cudaenv_numbers
__cudaenv_known=() __cudaenv_numbers=()
# What the environment was made for ("-": no look yet), the number of what we made, the version's prefix, whether what
# is installed matters.
typeset -g __cudaenv_n=0 __cudaenv_done=- __cudaenv_made=0 __cudaenv_prefix= __cudaenv_listed=0 __cudaenv_key= __cudaenv_all=
typeset -g __cudaenv_problem= __cudaenv_keep=0
: "${__cudaenv_told=}"

# Behind cd and in front of a command: a line entered with nothing in it costs nothing.
function __cudaenv_hook {
	emulate -L zsh
	__cudaenv_key="${PWD-}|${CUDAENV_VERSION-}|${CUDAENV_ROOT-}|${HOME-}|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}|$__cudaenv_made|${PATH-}"
	"${__cudaenv_known[$__cudaenv_key]-__cudaenv_look}" || __cudaenv_look || :
}

# The number of $__cudaenv_all, in __cudaenv_id.
function __cudaenv_number {
	__cudaenv_id=${__cudaenv_numbers[$__cudaenv_all]-}
	[[ -n $__cudaenv_id ]] || __cudaenv_id=$((${#__cudaenv_numbers} + 1)) __cudaenv_numbers[$__cudaenv_all]=$__cudaenv_id
}

# The number of the list of installed versions and cuDNN, in __cudaenv_id.
function __cudaenv_versions {
	local -a __cudaenv_folders
	__cudaenv_folders=("${CUDAENV_ROOT:-${HOME-}/.cudaenv}"/{versions,cudnn}/*(N) ${^${(s.:.)CUDAENV_SHARED_ROOTS-}}/{versions,cudnn}/*(N))
	__cudaenv_all="folders $__cudaenv_folders"
	__cudaenv_number
}

function __cudaenv_tell {
	[[ -n $1 && -o interactive && $__cudaenv_told != *"<$1>"* ]] || return 0
	typeset -g __cudaenv_told="$__cudaenv_told<$1>"
	print -r -- "$1" >&2
}

# The launcher's last word.
function __cudaenv_is {
	__cudaenv_prefix=$1 __cudaenv_listed=$2 __cudaenv_problem=$3 __cudaenv_keep=$4 __cudaenv_made=$5
}

# The number of what else the launcher's answer depends on, in __cudaenv_id. Written when it is needed.
function __cudaenv_variables {
	local __cudaenv_name
	__cudaenv_all='$__cudaenv_made'
	for __cudaenv_name in ${__cudaenv_names:#PATH}; do
		__cudaenv_all+="|\${$__cudaenv_name-%}"
	done
	eval "function __cudaenv_variables {
		__cudaenv_all=\"$__cudaenv_all\"
		[[ ! -r \${CUDAENV_ROOT:-\${HOME-}/.cudaenv}/config.ini ]] || __cudaenv_all+=\"|\$(<\${CUDAENV_ROOT:-\${HOME-}/.cudaenv}/config.ini)\"
		[[ ! -r /etc/cudaenv/config.ini ]] || __cudaenv_all+=\"|\$(</etc/cudaenv/config.ini)\"
		__cudaenv_number
	}"
	__cudaenv_variables
}

# What the launcher says is kept as the function __cudaenv_answerN.
function __cudaenv_switch {
	local __cudaenv_code __cudaenv_failed=
	__cudaenv_keep=0
	# An assignment to one of these would end what runs, half done.
	for __cudaenv_code in $__cudaenv_names CUDAENV_HOOK; do
		[[ ${(tP)__cudaenv_code} != *readonly* ]] || __cudaenv_failed="cudaenv: $__cudaenv_code is read-only in this shell, so no variable is changed"
	done
	if [[ -n $__cudaenv_failed ]]; then
		__cudaenv_is '' 0 "$__cudaenv_failed" 0 "$__cudaenv_made"
	elif __cudaenv_code=$(exec "$__cudaenv_launcher" hook zsh 2>/dev/null); then
		eval "function __cudaenv_answer$__cudaenv_n { $__cudaenv_code"$'\n}'
		"__cudaenv_answer$__cudaenv_n"
	else
		__cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed" 0 "$__cudaenv_made"
	fi
	[[ -z $__cudaenv_problem ]] || __cudaenv_keep=0
	__cudaenv_tell "$__cudaenv_problem"
}

# What chooses a version, in __cudaenv_want; and in __cudaenv_if and __cudaenv_then how to tell that nothing changed.
# As the shims look: from the physical folder upward.
function __cudaenv_choose {
	local __cudaenv_file= __cudaenv_up= __cudaenv_text
	__cudaenv_if='-n x' __cudaenv_then= __cudaenv_want=
	if [[ ${CUDAENV_VERSION-} == *[^[:blank:]]* ]]; then
		__cudaenv_want="=$CUDAENV_VERSION"
		return 0
	elif [[ ${PWD-} -ef . ]]; then
		__cudaenv_if='${PWD-} -ef .'
		until __cudaenv_file=$__cudaenv_up.cuda-version; [[ -e $__cudaenv_file || -L $__cudaenv_file ]]; do
			__cudaenv_if+=" && ! -e $__cudaenv_file"
			__cudaenv_file=
			[[ ! ${__cudaenv_up:-.} -ef / ]] || break
			__cudaenv_up+=../
		done
	else
		# Removed or renamed: only the launcher can tell.
		__cudaenv_if='! ${PWD-} -ef .' __cudaenv_want="${PWD-}|"
	fi
	for __cudaenv_up in "$__cudaenv_root/version" /etc/cudaenv/version; do
		if [[ -z $__cudaenv_file && -e $__cudaenv_up ]]; then
			__cudaenv_file=$__cudaenv_up
		elif [[ -z $__cudaenv_file ]]; then
			__cudaenv_if+=" && ! -e ${(qq)__cudaenv_up}"
		fi
	done
	[[ -n $__cudaenv_file ]] || return 0
	__cudaenv_up=${(qq)__cudaenv_file}
	if [[ -f $__cudaenv_file && -r $__cudaenv_file ]]; then
		# What is longer is no version file. At the end of a file read says 1.
		read -r -k 4097 -u 0 __cudaenv_text <$__cudaenv_file
		__cudaenv_want+="<$__cudaenv_text"
		__cudaenv_if+=" && -f $__cudaenv_up && -r $__cudaenv_up"
		__cudaenv_then=" && { read -r -k 4097 -u 0 __cudaenv_all <$__cudaenv_up; [[ \$__cudaenv_all == ${(qq)__cudaenv_text} ]] }"
	else
		__cudaenv_want+="?${PWD-}/$__cudaenv_file"
		__cudaenv_if+=" && ( -e $__cudaenv_up || -L $__cudaenv_up ) && ! ( -f $__cudaenv_up && -r $__cudaenv_up )"
	fi
}

function __cudaenv_look {
	local __cudaenv_root=${CUDAENV_ROOT:-${HOME-}/.cudaenv} __cudaenv_want __cudaenv_if __cudaenv_then
	local __cudaenv_id=0 __cudaenv_list=0 __cudaenv_before=0
	local __cudaenv_vars="$__cudaenv_root|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}"
	((++__cudaenv_n < 200)) || __cudaenv_known=() __cudaenv_n=0
	__cudaenv_keep=0
	__cudaenv_choose
	if [[ $__cudaenv_listed == 1 ]]; then
		__cudaenv_versions
		__cudaenv_list=$__cudaenv_id
	fi
	if [[ "$__cudaenv_want|$__cudaenv_vars|$__cudaenv_list|${PATH-}" != "$__cudaenv_done" || ! -d ${__cudaenv_prefix:-/} ]]; then
		if [[ -z $__cudaenv_want && -z ${CUDAENV_HOOK-} && :${PATH-}: != *":$__cudaenv_root/versions/"* ]]; then
			__cudaenv_prefix= __cudaenv_listed=0 __cudaenv_made=0
		else
			__cudaenv_variables
			__cudaenv_before=$__cudaenv_id
			__cudaenv_switch
			# Not sooner: a shared root may not answer, and most pins need none.
			[[ $__cudaenv_listed != 1 ]] || __cudaenv_versions
			__cudaenv_list=$__cudaenv_id
		fi
		[[ $__cudaenv_listed == 1 ]] || __cudaenv_list=0
		__cudaenv_done="$__cudaenv_want|$__cudaenv_vars|$__cudaenv_list|${PATH-}"
	fi
	[[ $__cudaenv_list == 0 ]] || __cudaenv_then+=" && __cudaenv_versions && [[ \$__cudaenv_id == $__cudaenv_list ]]"
	if [[ $__cudaenv_keep == 1 ]]; then
		eval "function __cudaenv_again$__cudaenv_n {
			local __cudaenv_id
			[[ $__cudaenv_if ]]$__cudaenv_then && __cudaenv_variables && [[ \$__cudaenv_id == $__cudaenv_before ]] &&
				__cudaenv_answer$__cudaenv_n && __cudaenv_done=${(qq)__cudaenv_done}
		}"
		__cudaenv_known[$__cudaenv_key]=__cudaenv_again$__cudaenv_n
	fi
	eval "function __cudaenv_same$__cudaenv_n { [[ $__cudaenv_if && -d ${(qq)${__cudaenv_prefix:-/}} ]]$__cudaenv_then }"
	__cudaenv_key="${PWD-}|${CUDAENV_VERSION-}|${CUDAENV_ROOT-}|${HOME-}|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}|$__cudaenv_made|${PATH-}"
	__cudaenv_known[$__cudaenv_key]=__cudaenv_same$__cudaenv_n
}

# In front of the first command line.
function __cudaenv_first {
	emulate -L zsh
	__cudaenv_hook
	precmd_functions=(${precmd_functions:#__cudaenv_first})
}

# Lets `cudaenv shell` change this shell, and the next look see what the command did.
function cudaenv {
	local __cudaenv_code __cudaenv_result=0
	if [[ ${1-} == shell || ${1-} == use ]]; then
		__cudaenv_code=$(CUDAENV_SHELL=zsh command cudaenv "$@") || return
		eval "$__cudaenv_code"
	else
		command cudaenv "$@" || __cudaenv_result=$?
	fi
	rehash
	typeset -g __cudaenv_done=-
	__cudaenv_known=()
	__cudaenv_hook
	return $__cudaenv_result
}

# The shims first on PATH, once; the hooks last.
function __cudaenv_start {
	emulate -L zsh
	local __cudaenv_shims="${CUDAENV_ROOT:-${HOME-}/.cudaenv}/shims" __cudaenv_rest=":${PATH-}:"
	# What a shell with this hook handed over has the version's own folder in front of them.
	if [[ -z ${CUDAENV_HOOK-} || $__cudaenv_rest != *":$__cudaenv_shims:"* ]]; then
		while [[ $__cudaenv_rest == *":$__cudaenv_shims:"* ]]; do
			__cudaenv_rest="${__cudaenv_rest%%":$__cudaenv_shims:"*}:${__cudaenv_rest#*":$__cudaenv_shims:"}"
		done
		__cudaenv_rest=${__cudaenv_rest#:}
		__cudaenv_rest=${__cudaenv_rest%:}
		# A read-only one is told at the first change.
		[[ ${(t)PATH} == *readonly* ]] || export PATH="$__cudaenv_shims${__cudaenv_rest:+:$__cudaenv_rest}"
	fi
	typeset -ga chpwd_functions precmd_functions preexec_functions
	chpwd_functions=(${chpwd_functions:#__cudaenv_hook} __cudaenv_hook)
	# zsh calls these in scripts, too.
	[[ -o interactive ]] || return 0
	precmd_functions=(${precmd_functions:#__cudaenv_first} __cudaenv_first)
	preexec_functions=(${preexec_functions:#__cudaenv_hook} __cudaenv_hook)
}
__cudaenv_start
unfunction __cudaenv_start
# A script, and a shell that has one command, never come to a prompt.
[[ -o interactive && -z ${ZSH_EXECUTION_STRING-} ]] || __cudaenv_hook || :
