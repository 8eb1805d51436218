/**
 * Histogram specifications and results, as values. Input: a {@link dev.probestream.collector.probe.ProbeSpec} with
 * keys, a value and a form. Output: {@link dev.probestream.collector.histogram.HistogramSpec}s for the planner, and
 * {@link dev.probestream.collector.histogram.HistogramSnapshot}s read from the kernel's maps. Does no I/O; must not
 * import the kernel layer ({@code dev.probestream.bpf}) nor the steps after {@code probe}.
 */
@NullMarked
package dev.probestream.collector.histogram;

import org.jspecify.annotations.NullMarked;
