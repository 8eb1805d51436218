package dev.probestream.collector.internal.capture;

import dev.probestream.collector.request.CollectionProgress.ProbeLoss;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Adds up losses by probe and reason. */
final class LossSums {
    private static final int ANY_CPU = -1;

    private final Map<Integer, Map<LossReason, Long>> countByProbe = new TreeMap<>();
    private final Map<Integer, String> nameByProbe = new HashMap<>();
    /** By name; rebuilt only when something was added, because it is read all the time. */
    private List<ProbeLoss> byName = List.of();

    /** Notes what a probe is called; its losses may come later. */
    void name(Probe probe) {
        nameByProbe.put(probe.getProbeId(), probe.getName());
    }

    void add(List<Loss> losses) {
        if (losses.isEmpty()) {
            return;
        }
        for (Loss loss : losses) {
            countByProbe
                    .computeIfAbsent(loss.getProbeId(), unused -> new TreeMap<>())
                    .merge(loss.getReason(), loss.getCount(), Long::sum);
        }
        byName = sumByName();
    }

    boolean hasLost(int probeId) {
        return countByProbe.containsKey(probeId);
    }

    List<Loss> losses(long captureId, long fromNs, long toNs) {
        return countByProbe.entrySet().stream()
                .flatMap(probe -> probe.getValue().entrySet().stream()
                        .map(sum -> new Loss(
                                captureId, probe.getKey(), ANY_CPU, fromNs, toNs, sum.getValue(), sum.getKey())))
                .toList();
    }

    /** The sums by the probes' names, which several probes may share: a function found in two files. */
    List<ProbeLoss> byName() {
        return byName;
    }

    long total() {
        return byName.stream().mapToLong(ProbeLoss::count).sum();
    }

    private List<ProbeLoss> sumByName() {
        Map<String, Map<LossReason, Long>> sums = new TreeMap<>();
        countByProbe.forEach((probeId, counts) -> counts.forEach((reason, count) -> sums.computeIfAbsent(
                        nameByProbe.getOrDefault(probeId, "probe " + probeId), unused -> new TreeMap<>())
                .merge(reason, count, Long::sum)));
        return sums.entrySet().stream()
                .flatMap(probe -> probe.getValue().entrySet().stream()
                        .map(sum -> new ProbeLoss(probe.getKey(), sum.getKey(), sum.getValue())))
                .toList();
    }
}
