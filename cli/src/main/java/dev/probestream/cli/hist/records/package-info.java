/**
 * Counts from a record of each hit: what {@code hist} counts by stack, as sums, or of computed values. In: the events and
 * records of a collection; out: the {@link dev.probestream.collector.histogram.HistogramTable}s that counts in the kernel
 * have too. Memory is bounded: so many keys are counted, the hits of others are counted as such.
 */
@NullMarked
package dev.probestream.cli.hist.records;

import org.jspecify.annotations.NullMarked;
