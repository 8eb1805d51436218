/**
 * Buffers the events of open segments as the bytes that were read, in recordings. They are not needed after a crash,
 * because the topic still has the events. In: encoded events; out: recordings for a conversion.
 */
@NullMarked
package dev.probestream.sink.spool;

import org.jspecify.annotations.NullMarked;
