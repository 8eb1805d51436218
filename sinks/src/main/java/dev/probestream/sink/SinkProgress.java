package dev.probestream.sink;

import java.util.Map;

/**
 * Where a sink stands; all counts since it started.
 *
 * @param eventsRead events taken from the topic, also those that are read again after a partition came back
 * @param bytesRead their encoded bytes
 * @param openSlices slices that are being gathered or wait for their metadata
 * @param lags by assigned partition: how many offsets of the topic are not in finished files yet
 */
public record SinkProgress(long eventsRead, long bytesRead, int openSlices, Map<Integer, Long> lags) {
    public SinkProgress {
        lags = Map.copyOf(lags);
    }
}
