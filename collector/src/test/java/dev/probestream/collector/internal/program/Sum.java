package dev.probestream.collector.internal.program;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.SumLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The sums of a probe and thread, read of a map or added up by plain Java.
 *
 * @param maxNs of even and of odd intervals
 * @param intervals to which each belongs
 */
record Sum(int tgid, long failed, long totalNs, List<Long> maxNs, List<Integer> intervals, List<Integer> durations) {
    static Sum none(int tgid) {
        List<Integer> durations = new ArrayList<>();
        for (int i = 0; i < SumLayout.DURATION_COUNT; i++) {
            durations.add(0);
        }
        return new Sum(tgid, 0, 0, List.of(0L, 0L), List.of(0, 0), durations);
    }

    Sum plus(long durationNs, boolean hasFailed, int interval) {
        int parity = interval & 1;
        List<Long> max = new ArrayList<>(maxNs);
        List<Integer> of = new ArrayList<>(intervals);
        if (of.get(parity) != interval || Long.compareUnsigned(max.get(parity), durationNs) < 0) {
            max.set(parity, durationNs);
            of.set(parity, interval);
        }
        List<Integer> counts = new ArrayList<>(durations);
        int place = SumLayout.durationIndex(durationNs);
        counts.set(place, counts.get(place) + 1);
        return new Sum(tgid, failed + (hasFailed ? 1 : 0), totalNs + durationNs, max, of, counts);
    }

    static ByteBuffer key(int tid, int probe, int threadTag) {
        return ByteBuffer.allocate(SumLayout.KEY_SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putInt(SumLayout.KEY_TID_OFFSET, tid)
                .putInt(SumLayout.KEY_PROBE_ID_OFFSET, probe)
                .putInt(SumLayout.KEY_THREAD_TAG_OFFSET, threadTag);
    }

    static Optional<Sum> read(BpfMap map, ByteBuffer key) {
        return map.lookup(key).map(value -> {
            ByteBuffer sum = value.order(ByteOrder.nativeOrder());
            List<Integer> durations = new ArrayList<>();
            for (int i = 0; i < SumLayout.DURATION_COUNT; i++) {
                durations.add(sum.getInt(SumLayout.DURATIONS_OFFSET + Integer.BYTES * i));
            }
            return new Sum(
                    sum.getInt(SumLayout.TGID_OFFSET),
                    sum.getLong(SumLayout.FAILED_OFFSET),
                    sum.getLong(SumLayout.TOTAL_OFFSET),
                    List.of(sum.getLong(SumLayout.MAX_OFFSET), sum.getLong(SumLayout.MAX_OFFSET + Long.BYTES)),
                    List.of(
                            sum.getInt(SumLayout.INTERVAL_OFFSET),
                            sum.getInt(SumLayout.INTERVAL_OFFSET + Integer.BYTES)),
                    durations);
        });
    }
}
