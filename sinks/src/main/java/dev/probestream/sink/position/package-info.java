/**
 * The state of a sink's folder: its manifest, the position of each partition, and the locks of partitions. In: a folder;
 * out: positions to continue from, and a folder without orphan files.
 */
@NullMarked
package dev.probestream.sink.position;

import org.jspecify.annotations.NullMarked;
