/**
 * What the metadata topic says about captures. In: its messages; out: for a capture, a recording of everything but its
 * events. Each instance reads the whole topic and keeps it on its disk, with a small index in memory.
 */
@NullMarked
package dev.probestream.sink.metadata;

import org.jspecify.annotations.NullMarked;
