/** The protocol of Redis, as a client uses it. */
@NullMarked
package dev.probestream.collector.internal.protocol.redis;

import org.jspecify.annotations.NullMarked;
