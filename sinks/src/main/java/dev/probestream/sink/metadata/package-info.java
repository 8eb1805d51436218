/**
 * The metadata of captures. In: the messages of the metadata topic; out: for each capture, a recording of everything but
 * its events. An instance keeps an index of the topic on disk, and loads a capture's records when events of it are read.
 */
@NullMarked
package dev.probestream.sink.metadata;

import org.jspecify.annotations.NullMarked;
