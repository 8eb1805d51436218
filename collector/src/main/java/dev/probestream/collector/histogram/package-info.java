/**
 * What to count, and what was counted, as values. Comes in: a {@link dev.probestream.collector.probe.ProbeSpec} with
 * keys, a value and a form, or a line as bcc's argdist spells it; goes out: {@link
 * dev.probestream.collector.histogram.HistogramSpec}s for the planner, and the {@link
 * dev.probestream.collector.histogram.HistogramSnapshot}s that are read from the kernel's maps. Pure; must not import
 * the kernel layer ({@code dev.probestream.bpf}) nor the steps behind {@code probe}.
 */
@NullMarked
package dev.probestream.collector.histogram;

import org.jspecify.annotations.NullMarked;
