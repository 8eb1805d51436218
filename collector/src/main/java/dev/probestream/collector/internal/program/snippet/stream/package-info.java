/** Pieces of the programs that copy bytes of streams: the first bytes of a conversation, WebSocket frames. */
@NullMarked
package dev.probestream.collector.internal.program.snippet.stream;

import org.jspecify.annotations.NullMarked;
