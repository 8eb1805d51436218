/** Where the values of a hit are, by the kind of the probe: in registers, in a tracepoint, in a sample, or saved at the entry. */
@NullMarked
package dev.probestream.collector.internal.program.snippet.access;

import org.jspecify.annotations.NullMarked;
