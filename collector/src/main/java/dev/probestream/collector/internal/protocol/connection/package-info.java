/** The connections of the recorded processes: which protocol each speaks, and what is lost, closed or forgotten of them. */
@NullMarked
package dev.probestream.collector.internal.protocol.connection;

import org.jspecify.annotations.NullMarked;
