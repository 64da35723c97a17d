# The environment of the CUDA version that applies in the working directory. Pure shell where nothing changed and
# where everything is as it was once before; else one small static process (the launcher).

# __cudaenv_known: a folder and the variables that matter, with the function that does what was done there before if the
# files are as they were at that time; mostly nothing. __cudaenv_last: the one that was right last. __cudaenv_numbers:
# one for each list of installed versions, for each CUDAENV_HOOK, and for the variables that the launcher reads.
declare -gA __cudaenv_known=() __cudaenv_numbers=()
__cudaenv_n=0 __cudaenv_list= __cudaenv_last=__cudaenv_same0
# What the environment was made for ("-": no look yet), the number of what we made, the version's prefix, whether what
# is installed matters.
__cudaenv_done=- __cudaenv_made=0 __cudaenv_prefix='' __cudaenv_listed=0 __cudaenv_left=''
: "${__cudaenv_told=}"

# For prompts: one comparison, one read, and the tests of files.
function __cudaenv_hook {
	"$__cudaenv_last" "$?"
}

# In front of the first look. As all of this name it hands on the status of the last command, which would end a shell
# with errexit, and be trapped as an error with errtrace.
function __cudaenv_same0 {
	__cudaenv_find __cudaenv_same0
	case $1$- in 0* | *[eE]*) ;; *) return "$1" ;; esac
}

# The folder and the variables that matter.
__cudaenv_here='${PWD-}:${CUDAENV_VERSION-}:${CUDAENV_ROOT:-${HOME-}}:${CUDAENV_SHARED_ROOTS-}:${CUDAENV_CUDNN_VERSION-}:${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}$__cudaenv_made:${PATH-}'

# Behind cd, and where the function $1 (none: nothing was) is not right any more.
eval 'function __cudaenv_find {
	__cudaenv_key='"$__cudaenv_here"'
	__cudaenv_last=${__cudaenv_known[$__cudaenv_key]-__cudaenv_look}
	[[ $__cudaenv_last != "${1-}" ]] && "$__cudaenv_last" 0 || __cudaenv_look || :
	[[ -z $__cudaenv_left ]] || __cudaenv_later "${1-}"
}'

# Somebody changed a variable of ours. Behind cd the next prompt looks once more: direnv and its like put back then what
# they found, which may be ours.
function __cudaenv_later {
	if [[ -n $1 ]]; then
		__cudaenv_left=
	else
		__cudaenv_known=() __cudaenv_last=__cudaenv_same0
	fi
}

# The number of $__cudaenv_all, in __cudaenv_id.
function __cudaenv_number {
	__cudaenv_id=${__cudaenv_numbers[$__cudaenv_all]-}
	[[ -n $__cudaenv_id ]] || __cudaenv_id=$((${#__cudaenv_numbers[@]} + 1)) __cudaenv_numbers[$__cudaenv_all]=$__cudaenv_id
}

# How to get the list of installed versions and cuDNN into __cudaenv_list, in __cudaenv_listing; and its number, in
# __cudaenv_id.
function __cudaenv_versions {
	local IFS=: __cudaenv_other
	__cudaenv_listing=
	for __cudaenv_other in "$__cudaenv_root" ${CUDAENV_SHARED_ROOTS-}; do
		printf -v __cudaenv_other %q "$__cudaenv_other"
		__cudaenv_listing+=" $__cudaenv_other/versions/* $__cudaenv_other/cudnn/*"
	done
	__cudaenv_listing="__cudaenv_list=($__cudaenv_listing) && __cudaenv_list=:\${__cudaenv_list[*]}"
	unset IFS
	__cudaenv_list=:
	shopt -q failglob || eval "$__cudaenv_listing"
	__cudaenv_all=$__cudaenv_list
	__cudaenv_number
}

function __cudaenv_tell {
	[[ -n $1 && $- == *i* && $__cudaenv_told != *"<$1>"* ]] || return 0
	__cudaenv_told+="<$1>"
	printf '%s\n' "$1" >&2
}

# The launcher's last word.
function __cudaenv_is {
	__cudaenv_prefix=$1 __cudaenv_listed=$2 __cudaenv_problem=$3 __cudaenv_keep=$4 __cudaenv_made=$5
	__cudaenv_left=${6-}
}

# The number of what else the launcher's answer depends on, in __cudaenv_id. Written when it is needed: loops over
# names of variables are slow.
function __cudaenv_variables {
	local __cudaenv_name
	__cudaenv_all='$__cudaenv_made'
	for __cudaenv_name in "${__cudaenv_names[@]}"; do
		[[ $__cudaenv_name == PATH ]] || __cudaenv_all+="\\|\${$__cudaenv_name-%}"
	done
	eval 'function __cudaenv_variables {
		local __cudaenv_ini=${CUDAENV_ROOT:-${HOME-}/.cudaenv}/config.ini __cudaenv_text= __cudaenv_site=
		[[ ! -r $__cudaenv_ini ]] || mapfile -n 4096 __cudaenv_text <"$__cudaenv_ini"
		[[ ! -r /etc/cudaenv/config.ini ]] || mapfile -n 4096 __cudaenv_site </etc/cudaenv/config.ini
		__cudaenv_all='"$__cudaenv_all"'\|${__cudaenv_text[*]}\|${__cudaenv_site[*]}
		__cudaenv_number
	}'
	__cudaenv_variables
}

# What the launcher says is kept as the function __cudaenv_answerN.
function __cudaenv_switch {
	local __cudaenv_code __cudaenv_problem='' __cudaenv_failed=''
	__cudaenv_keep=0
	if __cudaenv_code=$(
		[[ -z $__cudaenv_left ]] || export CUDAENV_HOOK="$__cudaenv_left"
		exec "$__cudaenv_launcher" hook bash 2>/dev/null
	); then
		eval "function __cudaenv_answer$__cudaenv_n { $__cudaenv_code"$'\n}'
		"__cudaenv_answer$__cudaenv_n" 2>/dev/null
		[[ -z $__cudaenv_failed ]] || __cudaenv_problem='cudaenv: a variable is read-only in this shell, so not all are set'
	else
		__cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed" 0 "$__cudaenv_made"
	fi
	[[ -z $__cudaenv_problem ]] || __cudaenv_keep=0
	__cudaenv_tell "$__cudaenv_problem"
}

# What chooses a version, in __cudaenv_want; and in __cudaenv_if and __cudaenv_then how to tell that nothing changed.
# As the shims look: from the physical folder upward.
function __cudaenv_choose {
	local __cudaenv_file= __cudaenv_up=
	__cudaenv_if= __cudaenv_then= __cudaenv_want=
	if [[ -n ${CUDAENV_VERSION-} && $CUDAENV_VERSION == *[![:blank:]]* ]]; then
		__cudaenv_want="=$CUDAENV_VERSION"
		return 0
	elif [[ $PWD -ef . ]]; then
		until __cudaenv_file=$__cudaenv_up.cuda-version; [[ -e $__cudaenv_file || -L $__cudaenv_file ]]; do
			__cudaenv_if+=" && ! -e $__cudaenv_file"
			__cudaenv_file=
			[[ ! ${__cudaenv_up:-.} -ef / ]] || break
			__cudaenv_up+=../
		done
		# By this name it is not there any more where the folder was removed or renamed.
		[[ -z $__cudaenv_file ]] && __cudaenv_if+=' && $PWD -ef .' || __cudaenv_file=$PWD/$__cudaenv_file
	else
		# Removed or renamed: only the launcher can tell.
		__cudaenv_if=' && ! $PWD -ef .' __cudaenv_want="$PWD|"
	fi
	for __cudaenv_up in "$__cudaenv_root/version" /etc/cudaenv/version; do
		if [[ -z $__cudaenv_file && -e $__cudaenv_up ]]; then
			__cudaenv_file=$__cudaenv_up
		elif [[ -z $__cudaenv_file ]]; then
			printf -v __cudaenv_up %q "$__cudaenv_up"
			__cudaenv_if+=" && ! -e $__cudaenv_up"
		fi
	done
	[[ -n $__cudaenv_file ]] || return 0
	printf -v __cudaenv_up %q "$__cudaenv_file"
	if [[ -f $__cudaenv_file && -r $__cudaenv_file ]]; then
		# What is longer is no version file. At the end of a file read says 1.
		read -r -N 4097 __cudaenv_pin <"$__cudaenv_file" || :
		__cudaenv_want+="<$__cudaenv_pin"
		__cudaenv_if+=" && -f $__cudaenv_up && -r $__cudaenv_up"
		printf -v __cudaenv_then ' && { read -r -N 4097 __cudaenv_pin <%s; [[ $__cudaenv_pin == %q ]]; }' \
			"$__cudaenv_up" "$__cudaenv_pin"
	else
		__cudaenv_want+="?$__cudaenv_file"
		__cudaenv_if+=" && ( -e $__cudaenv_up || -L $__cudaenv_up ) && ! ( -f $__cudaenv_up && -r $__cudaenv_up )"
	fi
}

function __cudaenv_look {
	local __cudaenv_root=${CUDAENV_ROOT:-${HOME-}/.cudaenv} __cudaenv_want __cudaenv_if __cudaenv_then
	local __cudaenv_id=0 __cudaenv_choices=0 __cudaenv_before=0 __cudaenv_keep=0 __cudaenv_listing
	local __cudaenv_vars="$__cudaenv_root|${CUDAENV_SHARED_ROOTS-}|${CUDAENV_CUDNN_VERSION-}|${VIRTUAL_ENV:+v}${CONDA_PREFIX:+c}"
	((++__cudaenv_n < 200)) || __cudaenv_known=() __cudaenv_n=0
	__cudaenv_choose
	if [[ $__cudaenv_listed == 1 ]]; then
		__cudaenv_versions
		__cudaenv_choices=$__cudaenv_id
	fi
	if [[ "$__cudaenv_want|$__cudaenv_vars|$__cudaenv_choices|${PATH-}" != "$__cudaenv_done" || ! -d ${__cudaenv_prefix:-/} || -n $__cudaenv_left ]]; then
		if [[ -z $__cudaenv_want && -z ${CUDAENV_HOOK-}$__cudaenv_left && :${PATH-}: != *":$__cudaenv_root/versions/"* ]]; then
			__cudaenv_prefix='' __cudaenv_listed=0 __cudaenv_made=0
		else
			__cudaenv_variables
			__cudaenv_before=$__cudaenv_id
			__cudaenv_switch
			# Not sooner: a shared root may not answer, and most pins need none.
			[[ $__cudaenv_listed != 1 ]] || __cudaenv_versions
			__cudaenv_choices=$__cudaenv_id
		fi
		[[ $__cudaenv_listed == 1 ]] || __cudaenv_choices=0
		__cudaenv_done="$__cudaenv_want|$__cudaenv_vars|$__cudaenv_choices|${PATH-}"
	fi
	[[ $__cudaenv_choices == 0 ]] ||
		__cudaenv_then+=" && { shopt -q failglob || { $__cudaenv_listing; [[ \${__cudaenv_numbers[\$__cudaenv_list]-} == $__cudaenv_choices ]]; }; }"
	if [[ $__cudaenv_keep == 1 ]]; then
		printf -v __cudaenv_vars %q "$__cudaenv_done"
		eval "function __cudaenv_again$__cudaenv_n {
			local __cudaenv_id
			[[ -n x$__cudaenv_if ]]$__cudaenv_then && __cudaenv_variables && [[ \$__cudaenv_id == $__cudaenv_before ]] &&
				__cudaenv_answer$__cudaenv_n 2>/dev/null && __cudaenv_done=$__cudaenv_vars &&
				__cudaenv_last=__cudaenv_same$__cudaenv_n
		}"
		__cudaenv_known[$__cudaenv_key]=__cudaenv_again$__cudaenv_n
	fi
	eval "__cudaenv_key=$__cudaenv_here"
	__cudaenv_vars="'${__cudaenv_key//\'/\'\\\'\'}'"
	printf -v __cudaenv_root %q "${__cudaenv_prefix:-/}"
	__cudaenv_last=__cudaenv_same$__cudaenv_n
	eval "function $__cudaenv_last {
		[[ $__cudaenv_here == $__cudaenv_vars$__cudaenv_if && -d $__cudaenv_root ]]$__cudaenv_then || __cudaenv_find $__cudaenv_last
		case \$1\$- in 0* | *[eE]*) ;; *) return \"\$1\" ;; esac
	}"
	__cudaenv_known[$__cudaenv_key]=$__cudaenv_last
}

# Lets `cudaenv shell` change this shell, and the next look see what the command did.
function cudaenv {
	local __cudaenv_code __cudaenv_result=0
	if [[ ${1-} == shell || ${1-} == use ]]; then
		__cudaenv_code=$(CUDAENV_SHELL=bash command cudaenv "$@") || return
		eval "$__cudaenv_code"
	else
		command cudaenv "$@" || __cudaenv_result=$?
	fi
	hash -r 2>/dev/null || :
	__cudaenv_known=() __cudaenv_done=-
	__cudaenv_find
	return "$__cudaenv_result"
}

# The shims first on PATH, once. What a shell with this hook handed over has the version's own folder in front of them.
function __cudaenv_start {
	local __cudaenv_shims=${CUDAENV_ROOT:-${HOME-}/.cudaenv}/shims __cudaenv_rest=:${PATH-}:
	if [[ -z ${CUDAENV_HOOK-} || $__cudaenv_rest != *":$__cudaenv_shims:"* ]]; then
		while [[ $__cudaenv_rest == *":$__cudaenv_shims:"* ]]; do
			__cudaenv_rest="${__cudaenv_rest%%":$__cudaenv_shims:"*}:${__cudaenv_rest#*":$__cudaenv_shims:"}"
		done
		__cudaenv_rest=${__cudaenv_rest#:}
		__cudaenv_rest=${__cudaenv_rest%:}
		# A read-only one is told at the first change.
		export PATH="$__cudaenv_shims${__cudaenv_rest:+:$__cudaenv_rest}" 2>/dev/null || :
	fi
}
__cudaenv_start
unset -f __cudaenv_start

# So that `cd there && make` has the environment of there; but not over a function of the user's.
declare -F cd >/dev/null || function cd { builtin cd "$@" || return; __cudaenv_find; }
declare -F pushd >/dev/null || function pushd { builtin pushd "$@" || return; __cudaenv_find; }
declare -F popd >/dev/null || function popd { builtin popd "$@" || return; __cudaenv_find; }
if [[ ${PROMPT_COMMAND[*]-} != *__cudaenv_hook* ]]; then
	# A list of commands, which bash before 5.1 does not know.
	if [[ ${PROMPT_COMMAND[*]-} != "${PROMPT_COMMAND-}" ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
		PROMPT_COMMAND+=(__cudaenv_hook)
	else
		PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__cudaenv_hook"
	fi
fi
# A script, and a shell that has one command, never come to a prompt.
[[ $- == *i* && -z ${BASH_EXECUTION_STRING-} ]] || __cudaenv_find || :
