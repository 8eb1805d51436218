package dev.probestream.collector;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds up losses by probe and reason. */
final class LossSums {
    private static final int ANY_CPU = -1;

    private final Map<Integer, Map<LossReason, Long>> countByProbe = new TreeMap<>();

    void add(List<Loss> losses) {
        for (Loss loss : losses) {
            countByProbe
                    .computeIfAbsent(loss.getProbeId(), unused -> new TreeMap<>())
                    .merge(loss.getReason(), loss.getCount(), Long::sum);
        }
    }

    List<Loss> losses(long captureId, long fromNs, long toNs) {
        return countByProbe.entrySet().stream()
                .flatMap(probe -> probe.getValue().entrySet().stream()
                        .map(sum -> new Loss(
                                captureId, probe.getKey(), ANY_CPU, fromNs, toNs, sum.getValue(), sum.getKey())))
                .toList();
    }
}
