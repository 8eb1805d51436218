/**
 * Events on their way into a slice: untouched bytes, in recordings that nobody needs after a crash, because the topic
 * still has them. In: encoded events; out: recordings for a conversion.
 */
@NullMarked
package dev.probestream.sink.spool;

import org.jspecify.annotations.NullMarked;
