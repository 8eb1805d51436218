/**
 * What a client and a database say to each other becomes statements: bytes of a connection come in, as far as they were recorded, and
 * {@link dev.probestream.collector.internal.protocol.Statement}s go out. A protocol is a package below. No I/O, no threads; what
 * cannot be decoded is counted, never guessed.
 */
@NullMarked
package dev.probestream.collector.internal.protocol;

import org.jspecify.annotations.NullMarked;
