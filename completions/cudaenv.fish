# fish completion for cudaenv. The program itself says what can stand where the line ends.
function __cudaenv_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -e words[1]
    for line in (command cudaenv complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':files'
                # fish itself knows of ~, of open quotes and of blanks.
                for path in (complete -C"cudaenv-file "(string replace -r -- '^--[^=]*=' '' "$current"))
                    echo -- "$before$path"
                end
            case ':command *'
                set -l n (string replace ':command ' '' -- $line)
                set -l rest $words "$current"
                complete -C"$(string join ' ' -- (string escape -- $rest[(math $n + 1)..-1]))"
            case '*'
                echo -- "$before$line"
        end
    end
end
complete -c cudaenv -e
complete -c cudaenv -f -k -a '(__cudaenv_complete)'
