# bash completion for cudaenv. The program itself says what can stand where the line ends.
_cudaenv() {
	local i line words=()
	# bash cuts words at '=' and ':' as well.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		if ((i > 1)) && [[ ${COMP_WORDS[i]} == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
			words[${#words[@]} - 1]+=${COMP_WORDS[i]}
		else
			words+=("${COMP_WORDS[i]}")
		fi
	done
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files) compopt -o default ;;
		':command '*)
			i=$((${line#:command } + 1))
			if declare -F _command_offset >/dev/null; then
				_command_offset "$i"
			elif ((i == COMP_CWORD)); then
				mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[i]}")
			else
				compopt -o default
			fi
			;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <(command cudaenv complete -- "${words[@]}" 2>/dev/null)
}
complete -o nosort -F _cudaenv cudaenv 2>/dev/null || complete -F _cudaenv cudaenv
