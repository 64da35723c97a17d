# The environment of the CUDA version that applies in the working directory. Pure shell where nothing changed and
# where everything is as it was once before; else one small static process (the launcher).

# For each folder that was seen a function waits for an event named by the folder and the variables that matter, tells
# whether all is as it was then, and does what was done then, mostly nothing. No command substitution is on this way:
# they cost most in fish. __cudaenv_known: the numbers of these functions, __cudaenv_n: the last.
set -g __cudaenv_known
set -g __cudaenv_n 0
# What the environment was made for ("-": no look yet), the number of what we made, the version's prefix, whether what
# is installed matters.
set -g __cudaenv_done -
set -g __cudaenv_made 0
set -g __cudaenv_prefix
set -g __cudaenv_listed 0
set -g __cudaenv_left

# Behind cd and in front of a command: a line entered with nothing in it costs nothing.
function __cudaenv_hook --on-variable PWD --on-event fish_preexec
    set -g __cudaenv_key "$PWD|$CUDAENV_VERSION|$CUDAENV_ROOT|$HOME|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX|$__cudaenv_made|$PATH"
    emit "__cudaenv $__cudaenv_key"
    # Who knows that all is right takes the text away.
    test -z "$__cudaenv_key"
    or __cudaenv_look $argv
end
function __cudaenv_forget
    functions -e __cudaenv_{same,again,answer}$__cudaenv_known
    set -g __cudaenv_known
end
function __cudaenv_on_start --on-event fish_prompt
    functions -e __cudaenv_on_start
    __cudaenv_hook
end

# What is installed, with cuDNN, in $__cudaenv_list.
function __cudaenv_versions
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -l folders $root/versions/* $root/cudnn/*
    if test -n "$CUDAENV_SHARED_ROOTS"
        for other in (string split : -- "$CUDAENV_SHARED_ROOTS")
            set -a folders $other/versions/* $other/cudnn/*
        end
    end
    set -g __cudaenv_list "folders $folders"
end

# What else the launcher's answer depends on, in $__cudaenv_all. Written when it is needed: loops are slow.
function __cudaenv_variables
    set -l all
    for name in $__cudaenv_names
        set all "$all|\$$name"
    end
    eval 'function __cudaenv_variables
        set -l root $HOME/.cudaenv
        test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
        set -q $__cudaenv_names
        set -g __cudaenv_all "$status|$__cudaenv_made'$all'"
        for file in $root/config.ini /etc/cudaenv/config.ini
            if test -f $file -a -r $file
                read -lz text <$file
                set -g __cudaenv_all "$__cudaenv_all|$file $text"
            end
        end
    end'
    __cudaenv_variables
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
    set -g __cudaenv_made $argv[5]
    set -g __cudaenv_left $argv[6]
end

# What the launcher says is kept as the function $answer.
function __cudaenv_switch --no-scope-shadowing
    set -l answer __cudaenv_answer$__cudaenv_n
    test -z "$__cudaenv_left"; or set -lx CUDAENV_HOOK $__cudaenv_left
    test -x $__cudaenv_launcher
    and $__cudaenv_launcher hook fish 2>/dev/null | source 2>/dev/null
    if functions -q $answer
        $answer
    else
        __cudaenv_is '' 0 "cudaenv: cannot run '$__cudaenv_launcher', so no variable is changed" 0 $__cudaenv_made
    end
    test -z "$__cudaenv_problem"; or set -g __cudaenv_keep 0
    __cudaenv_tell $__cudaenv_problem
end

# What chooses a version, in $want; and in $if and $then how to tell that nothing changed, which may use $file and
# $text. As the shims look: from the physical folder upward.
function __cudaenv_choose --no-scope-shadowing
    set if 'test -d "$PWD"'
    if test -n "$CUDAENV_VERSION"; and string match -qr '[^ \t]' -- "$CUDAENV_VERSION"
        set want "=$CUDAENV_VERSION"
        return
    end
    # One ".." too many does no harm.
    set -l up .cuda-version
    pwd -P 2>/dev/null | read -laz -d / levels
    for level in $levels
        if test -e $up -o -L $up
            set file $up
            break
        end
        set if "$if -a ! -e $up"
        set up ../$up
    end
    # Removed or renamed: only the launcher can tell.
    if not test -d "$PWD"
        set want "$PWD|"
        set if 'test ! -d "$PWD"'
    end
    for other in $root/version /etc/cudaenv/version
        test -z "$file"; or break
        if test -e $other
            set file $other
        else
            set if "$if -a ! -e "(string escape -- $other)
        end
    end
    test -n "$file"; or return
    # A redirection goes by the name of the folder, which may be another one's by now; test does not.
    set -l named $file
    set -l here ''
    if string match -qv '/*' -- $file
        set named $PWD/$file
        set here '$PWD/'
    end
    if test -f $file -a -r $named
        # What is longer is no version file.
        read -z -n 4097 text <$named
        set want "$want<$text"
        set if "$if -a -f \$file -a -r $here\$file"
        set then '
        and read -lz -n 4097 now <'$here'$file
        and test "$now" = "$text"'
    else
        set want "$want?$PWD/$file"
        # What it became only the next look tells.
        set if false
    end
end

# Keeps as the function $argv[1] that with the variables of now all is right if $if, $then and $argv[2] say so.
function __cudaenv_learn --no-scope-shadowing
    eval "function $argv[1] --on-event '__cudaenv '\$__cudaenv_key -V file -V text -V list -V before -V done
        $if$then$argv[2]
        and set -g __cudaenv_key
        or functions -e $argv[1]
    end"
end

function __cudaenv_look
    set -l root $HOME/.cudaenv
    test -n "$CUDAENV_ROOT"; and set root $CUDAENV_ROOT
    set -l vars "$root|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX"
    set -l want
    set -l if
    set -l then
    set -l file
    set -l text
    set -l list
    set -l before
    set -g __cudaenv_keep 0
    set -q __cudaenv_known[200]; and __cudaenv_forget
    math $__cudaenv_n + 1 | read -g __cudaenv_n
    set -ga __cudaenv_known $__cudaenv_n
    __cudaenv_choose
    if test $__cudaenv_listed = 1
        __cudaenv_versions
        set list $__cudaenv_list
    end
    if test "$want|$vars|$list|$PATH" != "$__cudaenv_done" -o ! -d "$__cudaenv_prefix/" -o -n "$__cudaenv_left"
        if test -z "$want$CUDAENV_HOOK$__cudaenv_left"; and not string match -q -- "*:$root/versions/*" ":$PATH"
            __cudaenv_is '' 0 '' 0 0
        else
            __cudaenv_variables
            set before $__cudaenv_all
            __cudaenv_switch
            # Not sooner: a shared root may not answer, and most pins need none.
            test $__cudaenv_listed != 1; or __cudaenv_versions
            set list $__cudaenv_list
        end
        test $__cudaenv_listed = 1; or set list
        set -g __cudaenv_done "$want|$vars|$list|$PATH"
    end
    test -z "$list"; or set then "$then
        and __cudaenv_versions
        and test \"\$__cudaenv_list\" = \"\$list\""
    if test $__cudaenv_keep = 1
        set -l done $__cudaenv_done
        __cudaenv_learn __cudaenv_again$__cudaenv_n "
        and __cudaenv_variables
        and test \"\$__cudaenv_all\" = \"\$before\"
        and __cudaenv_answer$__cudaenv_n
        and set -g __cudaenv_done \$done"
    end
    set if "$if -a -d \"\$__cudaenv_prefix/\""
    set -g __cudaenv_key "$PWD|$CUDAENV_VERSION|$CUDAENV_ROOT|$HOME|$CUDAENV_SHARED_ROOTS|$CUDAENV_CUDNN_VERSION|$VIRTUAL_ENV|$CONDA_PREFIX|$__cudaenv_made|$PATH"
    emit "__cudaenv $__cudaenv_key"
    test -z "$__cudaenv_key"; or __cudaenv_learn __cudaenv_same$__cudaenv_n ''
    test -z "$__cudaenv_left"; or __cudaenv_later $argv
end

# Somebody changed a variable of ours. Behind cd (an event with three arguments) the next look is a whole one again:
# direnv and its like put back at the prompt what they found, which may be ours.
function __cudaenv_later
    if test (count $argv) -eq 3
        __cudaenv_forget
    else
        set -g __cudaenv_left
    end
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
    __cudaenv_forget
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
# A script, and a shell that has one command, never come to a prompt.
__cudaenv_hook
