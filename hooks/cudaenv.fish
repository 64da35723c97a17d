# The environment of the CUDA version that applies in the working directory. Pure shell where nothing changed and
# where everything is as it was once before; else one small static process (the launcher).

# __cudaenv_keys: folders with the variables that matter; the function __cudaenv_doN, N being the place in this list,
# tells whether the files are as they were at that time and does what was done then, mostly nothing.
# __cudaenv_numbers: lists of installed versions, CUDAENV_HOOKs, and variables that the launcher reads.
set -g __cudaenv_keys
set -g __cudaenv_numbers
# What the environment was made for ("-": no look yet), the number of what we made, the version's prefix, whether what
# is installed matters.
set -g __cudaenv_done -
set -g __cudaenv_made 0
set -g __cudaenv_prefix
set -g __cudaenv_listed 0

# Behind cd and in front of a command: a line entered with nothing in it costs nothing.
function __cudaenv_hook --on-variable PWD --on-event fish_preexec
    set -g __cudaenv_key "$PWD|$CUDAENV_VERSION|$CUDAENV_ROOT|$HOME|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX|$__cudaenv_made|$PATH"
    set -l n (contains -i -- "$__cudaenv_key" $__cudaenv_keys)
    and __cudaenv_do$n
    or __cudaenv_look
end
function __cudaenv_on_start --on-event fish_prompt
    functions -e __cudaenv_on_start
    __cudaenv_hook
end

# The number of a text, in $__cudaenv_id.
function __cudaenv_number
    set -g __cudaenv_id (contains -i -- "$argv[1]" $__cudaenv_numbers)
    and return
    set -ga __cudaenv_numbers "$argv[1]"
    set -g __cudaenv_id (count $__cudaenv_numbers)
end

# The number of the list of installed versions and cuDNN, in $__cudaenv_id.
function __cudaenv_versions
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -l folders $root/versions/* $root/cudnn/*
    if test -n "$CUDAENV_SHARED_ROOTS"
        for other in (string split : -- "$CUDAENV_SHARED_ROOTS")
            set -a folders $other/versions/* $other/cudnn/*
        end
    end
    __cudaenv_number "folders $folders"
end

# The number of what else the launcher's answer depends on, in $__cudaenv_id.
function __cudaenv_variables
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -q $__cudaenv_names
    set -l all "variables $status|$__cudaenv_made"
    for name in $__cudaenv_names
        set all "$all|$$name"
    end
    for file in $root/config.ini /etc/cudaenv/config.ini
        if test -f $file -a -r $file
            set -l text
            read -z text <$file
            set all "$all|$text"
        end
    end
    __cudaenv_number "$all"
end

function __cudaenv_tell
    test -n "$argv[1]"; and status is-interactive; or return 0
    contains -- "$argv[1]" $__cudaenv_told; and return 0
    set -ga __cudaenv_told "$argv[1]"
    printf '%s\n' "$argv[1]" >&2
end

# The launcher's last word.
function __cudaenv_is
    set -g __cudaenv_prefix $argv[1]
    set -g __cudaenv_listed $argv[2]
    set -g __cudaenv_problem $argv[3]
    set -g __cudaenv_keep $argv[4]
end

# What the launcher says is kept as the function __cudaenv_answerN.
function __cudaenv_switch
    set -l code
    test -x $__cudaenv_launcher
    and set code ($__cudaenv_launcher hook fish 2>/dev/null | string collect)
    if test -n "$code"
        eval "function __cudaenv_answer$argv[1]
$code
end"
        __cudaenv_answer$argv[1]
    else
        __cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed" 0
    end
    test -z "$__cudaenv_problem"; or set -g __cudaenv_keep 0
    __cudaenv_tell $__cudaenv_problem
end

# What chooses a version, in $__cudaenv_want; and in $__cudaenv_if and $__cudaenv_then how to tell that nothing changed.
# As the shims look: from the physical folder upward.
function __cudaenv_choose
    set -g __cudaenv_want
    set -g __cudaenv_if 'test -d "$PWD"'
    set -g __cudaenv_then
    if test -n "$CUDAENV_VERSION"; and string match -qr '[^ \t]' -- "$CUDAENV_VERSION"
        set __cudaenv_want "=$CUDAENV_VERSION"
        return
    end
    set -l file
    # One ".." too many does no harm.
    set -l up ''
    for part in (pwd -P 2>/dev/null | string split /)
        if test -e "$up.cuda-version" -o -L "$up.cuda-version"
            set file "$up.cuda-version"
            break
        end
        set __cudaenv_if "$__cudaenv_if -a ! -e $up.cuda-version"
        set up "../$up"
    end
    # Removed or renamed: only the launcher can tell.
    if not test -d "$PWD"
        set __cudaenv_want "$PWD|"
        set __cudaenv_if 'test ! -d "$PWD"'
    end
    for other in $argv[1]/version /etc/cudaenv/version
        test -z "$file"; or break
        if test -e $other
            set file $other
        else
            set __cudaenv_if "$__cudaenv_if -a ! -e "(string escape -- $other)
        end
    end
    test -n "$file"; or return
    set -l quoted (string escape -- $file)
    if test -f "$file" -a -r "$file"
        set -l text
        # What is longer is no version file.
        read -z -n 4097 text <$file
        set __cudaenv_want "$__cudaenv_want<$text"
        set __cudaenv_if "$__cudaenv_if -a -f $quoted -a -r $quoted"
        set __cudaenv_then "and begin
read -gz -n 4097 __cudaenv_text <$quoted
test \"\$__cudaenv_text\" = "(string escape -- "$text" | string collect)"
end"
    else
        set __cudaenv_want "$__cudaenv_want?$PWD/$file"
        # What it became only the next look tells.
        set __cudaenv_then 'and false'
    end
end

function __cudaenv_look
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -l vars "$root|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX"
    set -l list 0
    set -l before 0
    set -g __cudaenv_keep 0
    test (count $__cudaenv_keys) -lt 200; or set -g __cudaenv_keys
    __cudaenv_choose $root
    if test $__cudaenv_listed = 1
        __cudaenv_versions
        set list $__cudaenv_id
    end
    set -l n (contains -i -- "$__cudaenv_key" $__cudaenv_keys)
    if test -z "$n"
        set -ga __cudaenv_keys "$__cudaenv_key"
        set n (count $__cudaenv_keys)
    end
    if test "$__cudaenv_want|$vars|$list|$PATH" != "$__cudaenv_done" -o ! -d "$__cudaenv_prefix/"
        if test -z "$__cudaenv_want$CUDAENV_HOOK"; and not string match -q -- "*:$root/versions/*" ":$PATH"
            set -g __cudaenv_prefix
            set -g __cudaenv_listed 0
        else
            __cudaenv_variables
            set before $__cudaenv_id
            __cudaenv_versions
            set list $__cudaenv_id
            __cudaenv_switch $n
        end
        test $__cudaenv_listed = 1; or set list 0
        __cudaenv_number "hook $CUDAENV_HOOK"
        set -g __cudaenv_made $__cudaenv_id
        set -g __cudaenv_done "$__cudaenv_want|$vars|$list|$PATH"
    end
    if test $list != 0
        set __cudaenv_then "$__cudaenv_then
and __cudaenv_versions
and test \$__cudaenv_id = $list"
    end
    if test $__cudaenv_keep = 1
        eval "function __cudaenv_do$n
$__cudaenv_if
$__cudaenv_then
and __cudaenv_variables
and test \$__cudaenv_id = $before
and __cudaenv_answer$n
and set -g __cudaenv_made $__cudaenv_made
and set -g __cudaenv_done "(string escape -- "$__cudaenv_done" | string collect)"
end"
    end
    set -g __cudaenv_key "$PWD|$CUDAENV_VERSION|$CUDAENV_ROOT|$HOME|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX|$__cudaenv_made|$PATH"
    set n (contains -i -- "$__cudaenv_key" $__cudaenv_keys)
    if test -z "$n"
        set -ga __cudaenv_keys "$__cudaenv_key"
        set n (count $__cudaenv_keys)
    end
    eval "function __cudaenv_do$n
$__cudaenv_if -a -d "(string escape -- "$__cudaenv_prefix/")"
$__cudaenv_then
end"
end

# Lets `cudaenv shell` change this shell, and the next look see what the command did.
function cudaenv
    set -l result 0
    switch "$argv[1]"
        case shell use
            set -lx CUDAENV_SHELL fish
            set -l code (command cudaenv $argv | string collect)
            set result $pipestatus[1]
            test $result = 0; or return $result
            printf '%s\n' $code | source
        case '*'
            command cudaenv $argv
            set result $status
    end
    set -g __cudaenv_done -
    set -g __cudaenv_keys
    __cudaenv_hook
    return $result
end

# The shims first on PATH, once. What a shell with this hook handed over has the version's own folder in front of
# them.
set -l __cudaenv_shims $HOME/.cudaenv/shims
test -n "$CUDAENV_ROOT"; and set __cudaenv_shims $CUDAENV_ROOT/shims
if test -z "$CUDAENV_HOOK"; or not contains -- $__cudaenv_shims $PATH
    while set -l __cudaenv_at (contains -i -- $__cudaenv_shims $PATH)
        set -e PATH[$__cudaenv_at]
    end
    set -gx PATH $__cudaenv_shims $PATH
end
# A script never comes to a prompt.
status is-interactive; or __cudaenv_hook
