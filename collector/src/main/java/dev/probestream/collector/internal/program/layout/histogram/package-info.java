/** Where every byte of the keys and values of histograms is. */
@NullMarked
package dev.probestream.collector.internal.program.layout.histogram;

import org.jspecify.annotations.NullMarked;
