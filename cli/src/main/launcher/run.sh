# Starts the program with the JVM options, the class path and the archive of classes that a command needs. Both launchers
# source this file. They set:
#   java           the Java program
#   jars           the folder of probestream.jar, lib, lib-broker and lib-query, as the class path shall name it
#   classes        the file that lists the classes for an archive
#   archives       the folder where the archive of classes is, or shall be made if it can be written
#   user_archives  the folder for those who cannot write to the other, or nothing
#   archive_name   the archive's file name, which says what it depends on beside the jars

main=dev.probestream.cli.Main

# One thread collects garbage: recordings make little of it, and the traced machine keeps its cores. The optimising
# compiler waits ten times longer than usual: a short recording spends a fifth less CPU time (1.27 s, not 1.6 s), and
# converting three million events is still a little faster (1.68 s, not 1.79 s). JVM warnings would only end up between our
# own lines. The property is --sun-misc-unsafe-memory-access=allow for JDK 24 and newer, in a form that older ones accept.
options='-XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=error:stderr -Dsun.misc.unsafe.memory.access=allow'
options="$options -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000"
options="$options -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
# jnr-ffi, zstd-jni and DuckDB call native code; without this, JDK 22 and newer print a warning.
options="$options --enable-native-access=ALL-UNNAMED"

# Sets libraries to the class path entries, beyond the jar and what its manifest names, of the command that $1 names: the
# folder of Kafka's server and Scala, or that of DuckDB. All other commands run without them.
find_libraries() {
  libraries=
  case ${1:-} in
    broker | demo) libraries=$jars/lib-broker/* ;;
    query | report) libraries=$jars/lib-query/* ;;
    collect)
      for argument; do
        case $argument in
          --embedded* | @*) libraries=$jars/lib-broker/* ;; # @FILE: a file of options
        esac
      done
      ;;
  esac
}

# Class data sharing: the classes of typical runs, parsed once (a third off the time until probes are attached). An archive
# belongs to one JVM and to jars of one age and size; the JVM ignores one that does not fit. It serves every class path that
# begins with its own, so it serves commands with more libraries too. Listed classes that are not there are left out.
make_archive() { # FOLDER
  archive=$1/$archive_name
  for part in "$archive".[0-9]*; do # of a start that was killed
    [ -d "/proc/${part##*.}" ] || rm -f "$part"
  done
  echo 'probestream: preparing the first start (seconds; longer on a busy machine) ...' >&3
  trap 'stop_archive INT' INT
  trap 'stop_archive TERM' TERM
  trap 'stop_archive HUP' HUP
  "$java" $options -Xshare:dump -XX:SharedClassListFile="$classes" -XX:SharedArchiveFile="$archive.$$" \
    -cp "$jars/probestream.jar" >"$archive.log" 2>&1 </dev/null &
  dump=$!
  # When there is none to be had, an empty file says so until the next build: the JVM ignores it. It appears at once, for
  # others may start now.
  { wait $dump || { rm -f "$archive.$$" && : >"$archive.$$"; }; } && mv -f "$archive.$$" "$archive"
  made=$?
  trap - INT TERM HUP
  return $made
} 3>&2 2>/dev/null

# Ends the start: the archive that is being made is tens of megabytes.
stop_archive() { # SIGNAL
  trap - INT TERM HUP
  kill "$dump" || :
  wait "$dump" || :
  rm -f "$archive.$$"
  kill -s "$1" $$
}

# Whether archive is there and no older than the jar.
is_fresh() {
  [ -f "$archive" ] && ! [ "$jars/probestream.jar" -nt "$archive" ]
}

# Sets archive to one that is fresh, or to nothing.
find_archive() {
  archive=$archives/$archive_name
  is_fresh && return
  [ -w "$archives" ] && make_archive "$archives" && return
  if [ -n "$user_archives" ]; then
    archive=$user_archives/$archive_name
    # An archive holds code: one that another user could have put there is not used.
    [ -O "$archive" ] && is_fresh && return
    (umask 077 && mkdir -p "$user_archives") 2>/dev/null && [ -O "$user_archives" ] && make_archive "$user_archives" && return
  fi
  archive=
}

# Becomes the program.
run() {
  find_libraries "$@"
  find_archive
  exec "$java" -Xshare:auto ${archive:+"-XX:SharedArchiveFile=$archive"} $options \
    -cp "$jars/probestream.jar${libraries:+:$libraries}" $main "$@"
}
