/** Pieces of the programs that count into histograms: keys, buckets, sums, stacks. */
@NullMarked
package dev.probestream.collector.internal.program.snippet.histogram;

import org.jspecify.annotations.NullMarked;
