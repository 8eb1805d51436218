/**
 * Reads tracefs: the kernel's tracepoints and the formats of their records (Documentation/trace/events.rst). In: the
 * folder and the texts of format files. Out: names and fields. Must not import {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.bpf.tracefs;

import org.jspecify.annotations.NullMarked;
