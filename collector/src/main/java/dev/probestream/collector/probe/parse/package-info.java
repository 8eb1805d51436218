/**
 * Parses the grammar of probe specs. Comes in: the text of a spec or of a filter; goes out: a {@link
 * dev.probestream.collector.probe.ProbeSpec} or a {@link dev.probestream.collector.probe.Filter}. What is malformed is
 * refused with its position. Must not import the presets, which are written in this grammar.
 */
@NullMarked
package dev.probestream.collector.probe.parse;

import org.jspecify.annotations.NullMarked;
