/**
 * The run of histograms: reads the sums of the kernel's maps, with their stacks and their names.
 */
@NullMarked
package dev.probestream.collector.internal.histogram;

import org.jspecify.annotations.NullMarked;
