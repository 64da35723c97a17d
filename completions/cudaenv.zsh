#compdef cudaenv
# zsh completion for cudaenv. The program itself says what can stand where the line ends.
_cudaenv() {
	local line word
	local -a found
	compset -P '--*='
	for line in "${(@f)$(command cudaenv complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		'') ;;
		:files) _files ;;
		':command '*)
			integer n=$(( ${line#:command } + 1 ))
			shift $n words
			(( CURRENT -= n ))
			_normal
			;;
		*)
			word=${line%%$'\t'*}
			[[ $line == *$'\t'* ]] && word=${word//:/\\:}:${line#*$'\t'}
			found+=("$word")
			;;
		esac
	done
	(( $#found )) && _describe -V cudaenv found
}
# Read by eval it registers itself; found on fpath it is called.
if [[ ${funcstack[1]-} == _cudaenv ]]; then
	_cudaenv "$@"
else
	compdef _cudaenv cudaenv
fi
