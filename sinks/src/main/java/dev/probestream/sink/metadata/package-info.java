/**
 * The metadata of captures. In: the messages of the metadata topic; out: for each capture, a recording of everything but
 * its events. Each instance reads the whole topic and keeps it on disk, with a small index in memory.
 */
@NullMarked
package dev.probestream.sink.metadata;

import org.jspecify.annotations.NullMarked;
