/**
 * Connections that were open before the capture began, as /proc and the kernel list them.
 */
@NullMarked
package dev.probestream.collector.internal.connection;

import org.jspecify.annotations.NullMarked;
