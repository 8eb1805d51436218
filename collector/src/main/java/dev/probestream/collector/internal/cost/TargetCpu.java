package dev.probestream.collector.internal.cost;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Adds up the CPU time of the traced processes since the window was opened. What a process takes between the last reading
 * and its end is not seen. Not thread-safe.
 */
final class TargetCpu {
    private final IntFunction<OptionalLong> clock;
    /** By pid: its clock when it was last read. */
    private final Map<Integer, Long> lastNs = new HashMap<>();

    private long totalNs;

    /** @param clock the CPU time of a process since it began; empty when it has ended */
    TargetCpu(IntFunction<OptionalLong> clock) {
        this.clock = clock;
    }

    /** Processes whose time until now does not count. */
    void begin(List<Integer> pids) {
        pids.forEach(pid -> clock.apply(pid).ifPresent(ns -> lastNs.put(pid, ns)));
    }

    /**
     * Adds what the processes took since the last reading.
     *
     * @param pids those that live
     * @param isNew whether a process that was not read before began in the window: all of its time counts
     */
    long read(List<Integer> pids, IntFunction<Boolean> isNew) {
        for (int pid : pids) {
            OptionalLong now = clock.apply(pid);
            if (now.isPresent()) {
                long ns = now.getAsLong();
                long before = lastNs.getOrDefault(pid, isNew.apply(pid) ? 0 : ns);
                totalNs += Math.max(0, ns - before);
                lastNs.put(pid, ns);
            }
        }
        Set<Integer> living = new HashSet<>(pids);
        lastNs.keySet().retainAll(living);
        return totalNs;
    }
}
