# The environment of the CUDA version that applies in the working directory. Pure shell while nothing changed,
# one small static process (the launcher) when something did.

# What the environment was made for: what chose a version ("-": no look yet), the variables that matter, the
# version's prefix, PATH, and the installed versions where those matter.
set -g __cudaenv_want -
set -g __cudaenv_vars
set -g __cudaenv_prefix
set -g __cudaenv_path
set -g __cudaenv_listed 0
set -g __cudaenv_list
# The working folder of the last walk, and the way up from it: "", "../", "../../" ...
set -g __cudaenv_pwd
set -g __cudaenv_ups

# The folders of all versions, in $__cudaenv_now.
function __cudaenv_versions
    set -g __cudaenv_now $argv[1]/versions/* $argv[1]/cudnn/*
    test -n "$CUDAENV_SHARED_ROOTS"; or return 0
    for other in (string split : -- "$CUDAENV_SHARED_ROOTS")
        set -a __cudaenv_now $other/versions/* $other/cudnn/*
    end
end

# PATH was changed by somebody: whether it still has our folder, and no other version that we left.
function __cudaenv_path_is_right
    set -l n 0
    for dir in $PATH
        if test "$dir" = "$__cudaenv_prefix/bin"
            set n 1
        else if string match -q -- "$argv[1]/versions/*" "$dir"
            return 1
        end
    end
    test "$__cudaenv_prefix" = '' -o $n = 1; or return 1
    set -g __cudaenv_path "$PATH"
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
    __cudaenv_tell $argv[3]
end

function __cudaenv_switch
    set -l code
    test -x $__cudaenv_launcher
    and set code ($__cudaenv_launcher hook fish 2>/dev/null | string collect)
    if test -n "$code"
        printf '%s\n' $code | source
    else
        __cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed"
    end
end

function __cudaenv_look
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -l want
    set -l file
    set -l vars "$root|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX"
    if test -n "$CUDAENV_VERSION"; and string match -qr '[^ \t]' -- "$CUDAENV_VERSION"
        set want "=$CUDAENV_VERSION"
    else
        # As the shims look: from the physical folder upward. One ".." too many does no harm.
        if test "$PWD" != "$__cudaenv_pwd"
            set -g __cudaenv_pwd "$PWD"
            set -g __cudaenv_ups
            set -l up ''
            for part in (pwd -P 2>/dev/null | string split /)
                set -a __cudaenv_ups "$up"
                set up "../$up"
            end
        end
        for up in $__cudaenv_ups
            if test -e "$up.cuda-version" -o -L "$up.cuda-version"
                set file "$up.cuda-version"
                break
            end
        end
        test -d "$PWD"; or set want "$PWD|"
        test -z "$file" -a -e $root/version; and set file $root/version
        test -z "$file" -a -e /etc/cudaenv/version; and set file /etc/cudaenv/version
        if test -n "$file" -a -f "$file" -a -r "$file"
            set -l text
            read -z text <$file
            set want "$want<$text"
        else if test -n "$file"
            set want "$want?$file"
        end
    end
    set -g __cudaenv_now
    if test $__cudaenv_listed = 1
        __cudaenv_versions $root
    end
    if test "$want" = "$__cudaenv_want" -a "$vars" = "$__cudaenv_vars" -a "$__cudaenv_now" = "$__cudaenv_list"
        and test -z "$__cudaenv_prefix" -o -d "$__cudaenv_prefix"
        test "$PATH" = "$__cudaenv_path"; and return
        __cudaenv_path_is_right $root; and return
    end
    set -g __cudaenv_want "$want"
    set -g __cudaenv_vars "$vars"
    if test -n "$want$CUDAENV_HOOK"; or not __cudaenv_path_is_right $root
        __cudaenv_versions $root
        __cudaenv_switch
    else
        set -g __cudaenv_prefix
        set -g __cudaenv_listed 0
    end
    test $__cudaenv_listed = 1; or set __cudaenv_now
    set -g __cudaenv_list $__cudaenv_now
    set -g __cudaenv_path "$PATH"
end

# A line entered with nothing in it costs nothing; in front of a command, since others may have changed something.
function __cudaenv_on_cd --on-variable PWD
    __cudaenv_look
end
function __cudaenv_on_command --on-event fish_preexec --on-event fish_postexec
    __cudaenv_look
end
function __cudaenv_on_start --on-event fish_prompt
    functions -e __cudaenv_on_start
    __cudaenv_look
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
    set -g __cudaenv_want -
    __cudaenv_look
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
