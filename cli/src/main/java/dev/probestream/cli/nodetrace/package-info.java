/**
 * Node's own trace, made beside a recording.
 *
 * <p>Comes in: categories, and a command to start or the pid of a running Node. Goes out: files in Chrome's JSON, whose
 * times are CLOCK_MONOTONIC as the recording's are. A command is told through NODE_OPTIONS; a running process through its
 * inspector, which is opened for that and closed again. Nothing is changed in the process otherwise. Must not be imported
 * here: anything of the collector but system calls, and the converters.
 */
@NullMarked
package dev.probestream.cli.nodetrace;

import org.jspecify.annotations.NullMarked;
