package dev.probestream.convert.timeline;

/**
 * A counter of a process that no probe reads: it is computed from the events of several probes.
 *
 * @param index counts the derived counters of a trace from 0
 * @param thread of whose process it is
 * @param name what its track is called; no other counter of the process has it
 * @param unit ns or count
 */
public record DerivedCounter(int index, ThreadTrack thread, String name, String category, String unit) {}
