/**
 * A closed slice becomes files in their places. In: the recordings of a slice; out: finished files. Everything is made in
 * a folder aside first, so that what stands among the finished files is always whole.
 */
@NullMarked
package dev.probestream.sink.finish;

import org.jspecify.annotations.NullMarked;
