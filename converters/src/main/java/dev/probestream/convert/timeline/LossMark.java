package dev.probestream.convert.timeline;

/**
 * Events that the collector could not deliver.
 *
 * @param probe name of the probe
 * @param cpu -1 = unknown
 * @param fromNs the loss happened some time between this ...
 * @param toNs ... and this; on the trace's clock
 * @param reason in words for a person
 */
public record LossMark(String probe, int cpu, long fromNs, long toNs, long count, String reason) {}
