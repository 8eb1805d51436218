/** The protocol of PostgreSQL, as a client uses it. */
@NullMarked
package dev.probestream.collector.internal.protocol.postgres;

import org.jspecify.annotations.NullMarked;
