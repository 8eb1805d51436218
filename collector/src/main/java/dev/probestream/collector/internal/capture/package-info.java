/**
 * The run of a capture: drains the ring, publishes events and what is to be known of them, and does what is due at
 * intervals. One thread reads and publishes.
 */
@NullMarked
package dev.probestream.collector.internal.capture;

import org.jspecify.annotations.NullMarked;
