package dev.probestream.sink;

import java.util.Map;

/**
 * The progress of a sink since it started.
 *
 * @param eventsRead events taken from the topic, including those read again after a partition came back
 * @param bytesRead their encoded bytes
 * @param openSegments segments that are open or wait for their metadata
 * @param lags by assigned partition: how many offsets of the topic are not in finished files yet
 */
public record SinkProgress(long eventsRead, long bytesRead, int openSegments, Map<Integer, Long> lags) {
    public SinkProgress {
        lags = Map.copyOf(lags);
    }
}
