/**
 * The command {@code hist}: prints {@link dev.probestream.collector.histogram.HistogramSnapshot}s as text or as lines of
 * JSON.
 */
@NullMarked
package dev.probestream.cli.hist;

import org.jspecify.annotations.NullMarked;
