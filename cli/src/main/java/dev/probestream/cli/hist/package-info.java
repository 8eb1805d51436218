/**
 * Shows counts and histograms. Comes in: {@link dev.probestream.collector.histogram.HistogramSnapshot}s; goes out: text
 * for a terminal or a log, or lines of JSON. Knows nothing of the command line.
 */
@NullMarked
package dev.probestream.cli.hist;

import org.jspecify.annotations.NullMarked;
