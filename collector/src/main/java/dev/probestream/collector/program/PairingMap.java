package dev.probestream.collector.program;

import dev.probestream.collector.program.layout.EventLayout;

/**
 * A map of open spans, to be read when the capture ends. Each of its values starts as the samples of the probe do whose
 * id is in it ({@link EventLayout#PROBE_ID_OFFSET}), up to {@code entryEndOffset}.
 *
 * @param mapName one of the plan's maps
 * @param valueSizeBytes of its values
 */
public record PairingMap(String mapName, int valueSizeBytes) {}
