package dev.probestream.collector.program.snippet;

import dev.probestream.collector.program.NumberedProbe;

/**
 * One of the sites of a USDT probe.
 *
 * @param site its index in {@link NumberedProbe#sites}; {@link NumberedProbe#endSites} are counted on behind them
 */
public record PlannedSite(int probeId, int site) {}
