/** The connections of the recorded processes: the protocol of each, and which are lost, closed or removed. */
@NullMarked
package dev.probestream.collector.internal.protocol.connection;

import org.jspecify.annotations.NullMarked;
