/**
 * Decides what part of the time each category of probes is watched. Input: what the probes cost the targets. Output: a part of
 * the time by category, and when to begin and end to watch. Does no I/O; must not import the kernel layer.
 */
@NullMarked
package dev.probestream.collector.internal.budget;

import org.jspecify.annotations.NullMarked;
