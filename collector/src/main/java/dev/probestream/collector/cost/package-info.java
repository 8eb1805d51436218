/**
 * What a collection costs its targets, as values: hits, the time of programs and traps, the targets' own CPU time. Made by
 * {@link dev.probestream.collector.Collector} of counters in the kernel. Does no I/O; must not import the kernel layer.
 */
@NullMarked
package dev.probestream.collector.cost;

import org.jspecify.annotations.NullMarked;
