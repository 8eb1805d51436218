/**
 * Errors of system calls. In: the number of an error and what was attempted. Out: an
 * {@link dev.probestream.bpf.sys.Errno} and an exception with a complete message.
 *
 * <p>Must not import any other package of Probestream.
 */
@NullMarked
package dev.probestream.bpf.sys;

import org.jspecify.annotations.NullMarked;
