/**
 * Measures what the probes of a collection cost their targets. Input: the counts of hits by probe and the kernel's run
 * statistics of the programs. Output: {@link dev.probestream.collector.cost.CostReading}s.
 */
@NullMarked
package dev.probestream.collector.internal.cost;

import org.jspecify.annotations.NullMarked;
