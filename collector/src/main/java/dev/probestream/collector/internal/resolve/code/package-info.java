/**
 * Reads machine code and build information: where the probe of a function goes, and which returns must not be
 * probed.
 */
@NullMarked
package dev.probestream.collector.internal.resolve.code;

import org.jspecify.annotations.NullMarked;
