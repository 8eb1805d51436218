package dev.probestream.convert.parquet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last record of each process or thread. The kernel uses ids again: a record is of the life that it continues when
 * both say the same start, or, where one does not say it, when that life has not ended.
 */
final class LatestRecords<T> {
    private static final long UNKNOWN_NS = -1;

    /** One life of an id. */
    private record Life<T>(long startNs, long endNs, T record) {
        boolean isContinuedBy(Life<T> next) {
            if (startNs != UNKNOWN_NS && next.startNs != UNKNOWN_NS) {
                return startNs == next.startNs;
            }
            return endNs == UNKNOWN_NS || endNs == next.endNs;
        }
    }

    private final Map<Long, List<Life<T>>> livesById = new LinkedHashMap<>();

    void put(long id, long startNs, long endNs, T record) {
        Life<T> next = new Life<>(startNs, endNs, record);
        List<Life<T>> lives = livesById.computeIfAbsent(id, unused -> new ArrayList<>(1));
        for (int i = lives.size() - 1; i >= 0; i--) {
            if (lives.get(i).isContinuedBy(next)) {
                lives.set(i, next);
                return;
            }
        }
        lives.add(next);
    }

    /** In the order in which the ids were first met. */
    List<T> all() {
        List<T> records = new ArrayList<>();
        livesById.values().forEach(lives -> lives.forEach(life -> records.add(life.record())));
        return records;
    }
}
