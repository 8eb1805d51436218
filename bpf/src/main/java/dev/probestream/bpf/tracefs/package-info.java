/** Reads tracefs: the kernel's tracepoints and the formats of their records (Documentation/trace/events.rst). */
@NullMarked
package dev.probestream.bpf.tracefs;

import org.jspecify.annotations.NullMarked;
