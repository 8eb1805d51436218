package dev.probestream.convert.parquet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last record of each process or thread. The kernel uses ids again: a record updates an earlier one when
 * both have the same start, or, where one has none, when the earlier one has not ended.
 */
final class LatestRecords<T> {
    private static final long UNKNOWN_NS = -1;

    /** A process or thread that had an id. */
    private record Incarnation<T>(long startNs, long endNs, T record) {
        boolean isContinuedBy(Incarnation<T> next) {
            if (startNs != UNKNOWN_NS && next.startNs != UNKNOWN_NS) {
                return startNs == next.startNs;
            }
            return endNs == UNKNOWN_NS || endNs == next.endNs;
        }
    }

    private final Map<Long, List<Incarnation<T>>> incarnationsById = new LinkedHashMap<>();

    void put(long id, long startNs, long endNs, T record) {
        Incarnation<T> next = new Incarnation<>(startNs, endNs, record);
        List<Incarnation<T>> incarnations = incarnationsById.computeIfAbsent(id, unused -> new ArrayList<>(1));
        for (int i = incarnations.size() - 1; i >= 0; i--) {
            if (incarnations.get(i).isContinuedBy(next)) {
                incarnations.set(i, next);
                return;
            }
        }
        incarnations.add(next);
    }

    /** In the order in which the ids were first met. */
    List<T> all() {
        List<T> records = new ArrayList<>();
        incarnationsById
                .values()
                .forEach(incarnations -> incarnations.forEach(incarnation -> records.add(incarnation.record())));
        return records;
    }
}
