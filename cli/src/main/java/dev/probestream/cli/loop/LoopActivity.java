package dev.probestream.cli.loop;

import java.util.List;

/**
 * Something that ran on the thread of a loop.
 *
 * @param name of the probe
 * @param detail what it worked at, such as a path; may be ""
 * @param startNs CLOCK_MONOTONIC
 * @param durationNs from its begin to its end
 * @param inside what ran inside of it, in the order of time; unmodifiable by others
 */
record LoopActivity(String name, String detail, long startNs, long durationNs, List<LoopActivity> inside) {}
