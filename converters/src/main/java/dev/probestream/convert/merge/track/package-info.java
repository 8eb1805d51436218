/** What merges of all formats share: the selection of events, tracks, order, bytes of input files. */
@NullMarked
package dev.probestream.convert.merge.track;

import org.jspecify.annotations.NullMarked;
