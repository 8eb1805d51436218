/**
 * Node's own trace, made beside a recording.
 *
 * <p>Takes categories, and a command to start or the pid of a running Node; writes files in Chrome's JSON, whose times
 * are CLOCK_MONOTONIC like those of the recording. A command gets NODE_OPTIONS; in a running process the inspector is
 * opened and closed again. Nothing else is changed in the process. Must not be imported
 * here: anything of the collector but system calls, and the converters.
 */
@NullMarked
package dev.probestream.cli.nodetrace;

import org.jspecify.annotations.NullMarked;
