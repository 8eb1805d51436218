/**
 * Converts a closed segment to files. In: the recordings of a segment; out: finished files. Files are written in a staging
 * folder and then renamed, so that a finished file is always complete.
 */
@NullMarked
package dev.probestream.sink.finish;

import org.jspecify.annotations.NullMarked;
