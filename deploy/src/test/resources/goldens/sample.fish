# Completion of sample for fish 3.1 and newer. Generated from the commands.

# The command on the line: the first word that is no option.
function __fish_sample_command
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch $word
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end

# Whether options of this command are completed: not behind --, where a program of its own starts.
function __fish_sample_uses
    set -l command (__fish_sample_command)
    test "$command" = "$argv[1]"; and not contains -- -- (commandline -opc)
end

# Whether words behind -- are completed, of a command that starts a program.
function __fish_sample_starts
    set -l command (__fish_sample_command)
    contains -- "$command" $argv; and contains -- -- (commandline -opc)
end

function __fish_sample_program
    set -l words (commandline -opc)
    set -l dashes (contains -i -- -- $words)
    set -l typed (string escape -- $words[(math $dashes + 1)..-1]) (commandline -ct)
    complete -C (string join -- ' ' $typed)
end

# Running processes, without kernel threads, whose command line is empty.
function __fish_sample_pids
    for folder in (string match -r '^/proc/\d+$' /proc/*)
        if read -z -l line <$folder/cmdline 2>/dev/null; and test -n "$line"
            read -l name <$folder/comm 2>/dev/null
            printf '%s\t%s\n' (string replace /proc/ '' $folder) "$name"
        end
    end
end

function __fish_sample_process_names
    __fish_sample_pids | string replace -r '^\d+\t' '' | sort -u
end

# The elements of a list separated by commas, behind those that are typed already.
function __fish_sample_list
    set -l typed (string match -r '^.*,' -- (commandline -ct | string replace -r '^--[a-z-]*=' ''))
    for element in (eval $argv)
        echo "$typed$element"
    end
end

function __fish_sample_choices_1
    printf '%s\t%s\n' 'round' 'with \'no\' corners [at all]'
    printf '%s\t%s\n' 'flat' 'without height'
end

complete -c sample -f
complete -c sample -n '__fish_sample_uses \'\'' -a cut -d 'Cuts files'
complete -c sample -n '__fish_sample_uses \'\'' -s h -l help -d 'Show this help message and exit'
complete -c sample -n '__fish_sample_uses \'\'' -s V -l version -d 'Print version information and exit'
complete -c sample -n '__fish_sample_uses cut' -s s -l shape -r -f -a '(__fish_sample_choices_1)' -d 'The shape'
complete -c sample -n '__fish_sample_uses cut' -s o -l output -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Where to'
complete -c sample -n '__fish_sample_uses cut' -s p -r -f -a '(__fish_sample_list __fish_sample_pids)' -d 'A process'
complete -c sample -n '__fish_sample_uses cut' -l all -d 'Everything'
complete -c sample -n '__fish_sample_uses cut' -F
