# Completion of sample for bash 4.4 and newer; the package bash-completion is used if it is loaded, but not needed.
# Generated from the commands.

# Sets options (all), valued (those with a value) and positional (of: values, program, both) for a command.
_sample_describe() { # COMMAND
  options= valued= positional=values
  case $1 in
    '')
      options='-h --help -V --version'
      valued='  ' positional=values
      ;;
    cut)
      options='-s --shape -o --output -p --all'
      valued=' -s --shape -o --output -p ' positional=values
      ;;
  esac
}

# Completes the value of an option, or with '' for the option a positional argument.
_sample_value() { # COMMAND OPTION
  case $1:$2 in
    ':')
      _sample_reply cut
      ;;
    cut:-s | cut:--shape)
      _sample_reply round flat
      ;;
    cut:-o | cut:--output)
      _sample_folders
      ;;
    cut:-p)
      _sample_pids
      ;;
    cut:)
      _sample_files
      ;;
  esac
}

_sample_reply() { # WORD...
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$*" -- "$cur"))
}

_sample_list() { # WORD...: of a list separated by commas; what is in the list already is not offered again
  local given= word words=()
  [[ $cur != *,* ]] || given=${cur%,*},
  for word; do
    [[ ,$given == *,"$word",* ]] || words+=("$given$word")
  done
  _sample_reply "${words[@]}"
  compopt -o nospace 2>/dev/null
}

_sample_files() {
  compopt -o default 2>/dev/null # bash's own completion of paths
}

_sample_folders() {
  compopt -o dirnames 2>/dev/null
}

# Sets found to the running processes, without kernel threads, whose command line is empty.
_sample_processes() {
  local entry first
  found=()
  for entry in /proc/[0-9]*; do
    first=
    { IFS= read -r -n 1 -d '' first <"$entry/cmdline"; } 2>/dev/null
    [[ -z $first ]] || found+=("${entry#/proc/}")
  done
}

_sample_pids() {
  local found
  _sample_processes
  _sample_list "${found[@]}"
}

_sample_process_names() {
  local found id name names=()
  _sample_processes
  for id in "${found[@]}"; do
    { IFS= read -r name <"/proc/$id/comm"; } 2>/dev/null && [[ $name != *[^A-Za-z0-9._+-]* ]] && names+=("$name")
  done
  _sample_reply $(printf '%s\n' "${names[@]}" | sort -u)
}

# Completes a program and its arguments, which start at a word of the line.
_sample_program() { # INDEX
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    COMPREPLY=($(compgen -c -- "$cur"))
  else
    _sample_files
  fi
}

_sample() {
  local cur command= pending= options valued positional
  local words=() starts=() last=-1 i word line=$COMP_LINE
  COMPREPLY=()
  # bash splits words at '=' and ':' too; words of the line are separated by blanks.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((last < 0)) || [[ $line == [[:blank:]]* ]]; then
      line=${line#"${line%%[![:blank:]]*}"}
      ((++last))
      words[last]= starts[last]=$i
    fi
    words[last]+=${COMP_WORDS[i]}
    line=${line#"${COMP_WORDS[i]}"}
  done
  cur=${words[last]}
  _sample_describe ''
  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    if [[ -n $pending ]]; then
      pending=
    elif [[ $word == -- ]]; then
      [[ $positional == values ]] || _sample_program "${starts[i + 1]}"
      return
    elif [[ $valued == *" $word "* ]]; then
      pending=$word
    elif [[ $word == -* ]]; then
      :
    elif [[ -z $command ]]; then
      command=$word
      _sample_describe "$command"
    elif [[ $positional == program ]]; then
      _sample_program "${starts[i]}"
      return
    fi
  done
  if [[ -n $pending ]]; then
    _sample_value "$command" "$pending"
  elif [[ $cur == --*=* ]]; then
    word=${cur%%=*}
    cur=${cur#*=}
    _sample_value "$command" "$word"
    # The shell replaces what follows '=' if '=' splits words, else all of the word.
    [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$word=}")
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    _sample_value "$command" ''
  fi
}

complete -F _sample sample
