/**
 * What the kernel's samples mean. Comes in: samples borrowed from the ring, the counts of what was lost, the open spans
 * that are left; goes out: encoded events and the records that explain them, to whoever publishes. Must not import
 * {@code collector.publish} nor jnr.
 */
@NullMarked
package dev.probestream.collector.event;

import org.jspecify.annotations.NullMarked;
