/** Pieces of the programs that follow WebSocket frames in bytes of streams. */
@NullMarked
package dev.probestream.collector.internal.program.snippet.stream;

import org.jspecify.annotations.NullMarked;
