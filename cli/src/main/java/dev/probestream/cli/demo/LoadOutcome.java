package dev.probestream.cli.demo;

import org.HdrHistogram.Histogram;

/**
 * What the load saw.
 *
 * @param answered requests answered with status 200
 * @param failed requests answered otherwise or not at all
 * @param latenciesNs from the request to the last byte of the answer, of the answered ones
 */
public record LoadOutcome(long answered, long failed, Histogram latenciesNs) {}
