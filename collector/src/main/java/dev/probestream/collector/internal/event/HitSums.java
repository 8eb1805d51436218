package dev.probestream.collector.internal.event;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.schema.record.HitSummary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the sums of hits that the kernel keeps ({@link SumLayout}) and returns for each interval what was added in it.
 * Sums of threads that have ended are deleted once they are read. Not thread-safe.
 */
final class HitSums {
    /** Of hits whose threads had no room for sums of their own. */
    private static final int ANY_THREAD = 0;

    private final long captureId;
    private final BpfMap sums;
    private final BpfMap rest;
    private final BpfMap threads;
    private final int threadTagOffset;
    private final int firstProbeId;
    private final Map<Key, Sums> known = new HashMap<>();
    private long sinceNs;

    /** Whose sums they are. */
    private record Key(int tid, int probeId, int threadTag) {
        static Key of(ByteBuffer bytes) {
            int at = bytes.position();
            return new Key(
                    bytes.getInt(at + SumLayout.KEY_TID_OFFSET),
                    bytes.getInt(at + SumLayout.KEY_PROBE_ID_OFFSET),
                    bytes.getInt(at + SumLayout.KEY_THREAD_TAG_OFFSET));
        }

        ByteBuffer bytes() {
            return ByteBuffer.allocate(SumLayout.KEY_SIZE_BYTES)
                    .order(ByteOrder.nativeOrder())
                    .putInt(SumLayout.KEY_TID_OFFSET, tid)
                    .putInt(SumLayout.KEY_PROBE_ID_OFFSET, probeId)
                    .putInt(SumLayout.KEY_THREAD_TAG_OFFSET, threadTag);
        }
    }

    /** A thread, distinguished from others of the same id. */
    private record TaggedThread(int tid, int tag) {}

    /** The sums as they were last reported. */
    private static final class Sums {
        private final int[] durations = new int[SumLayout.DURATION_COUNT];
        private long totalNs;
        private long failed;
    }

    /**
     * The maps are borrowed for the lifetime of this object.
     *
     * @param sums by {@link SumLayout}
     * @param rest the sums of all other threads, by the number of the probe
     * @param threads whose values begin as samples do; a thread that is not in it has ended
     * @param threadTagOffset where in its values the tag of the thread stands
     * @param firstProbeId the probe of number 0
     */
    HitSums(long captureId, BpfMap sums, BpfMap rest, BpfMap threads, int threadTagOffset, int firstProbeId) {
        this.captureId = captureId;
        this.sums = sums;
        this.rest = rest;
        this.threads = threads;
        this.threadTagOffset = threadTagOffset;
        this.firstProbeId = firstProbeId;
    }

    /** The capture's window is opened next. */
    void begin(long startNs) {
        sinceNs = startNs;
    }

    /**
     * What was added since the last call, or since the window was opened.
     *
     * @param ended the number of that interval; the programs have the next one already
     */
    List<HitSummary> take(int ended, long nowNs) {
        // Before the sums: a thread that is not there any more adds nothing to them.
        Set<TaggedThread> living = new HashSet<>();
        threads.forEach((key, value) -> living.add(new TaggedThread(
                value.getInt(value.position() + EventLayout.TID_OFFSET),
                value.getInt(value.position() + threadTagOffset))));
        List<HitSummary> summaries = new ArrayList<>();
        List<Key> over = new ArrayList<>();
        sums.forEach((key, value) -> {
            Key whose = Key.of(key);
            add(whose, value, ended, nowNs, summaries);
            if (!living.contains(new TaggedThread(whose.tid, whose.threadTag))) {
                over.add(whose);
            }
        });
        rest.forEach((key, value) ->
                add(new Key(ANY_THREAD, firstProbeId + key.getInt(key.position()), 0), value, ended, nowNs, summaries));
        for (Key whose : over) {
            sums.delete(whose.bytes());
            known.remove(whose);
        }
        sinceNs = nowNs;
        return summaries;
    }

    private void add(Key whose, ByteBuffer value, int ended, long nowNs, List<HitSummary> summaries) {
        int at = value.position();
        @Nullable Sums before = known.get(whose);
        List<Long> durations = new ArrayList<>(SumLayout.DURATION_COUNT);
        long count = 0;
        int used = 0;
        int[] now = new int[SumLayout.DURATION_COUNT];
        for (int i = 0; i < now.length; i++) {
            now[i] = value.getInt(at + SumLayout.DURATIONS_OFFSET + i * Integer.BYTES);
            long added = Integer.toUnsignedLong(now[i] - (before == null ? 0 : before.durations[i]));
            durations.add(added);
            count += added;
            used = added == 0 ? used : i + 1;
        }
        if (count == 0) {
            return;
        }
        Sums reported = before == null ? new Sums() : before;
        long totalNs = value.getLong(at + SumLayout.TOTAL_OFFSET);
        long failed = value.getLong(at + SumLayout.FAILED_OFFSET);
        summaries.add(new HitSummary(
                captureId,
                whose.probeId,
                value.getInt(at + SumLayout.TGID_OFFSET),
                whose.tid,
                sinceNs,
                nowNs,
                count,
                failed - reported.failed,
                totalNs - reported.totalNs,
                maxNs(value, ended),
                List.copyOf(durations.subList(0, used))));
        System.arraycopy(now, 0, reported.durations, 0, now.length);
        reported.totalNs = totalNs;
        reported.failed = failed;
        known.put(whose, reported);
    }

    /** The longest of the interval that has ended, or of the one that has begun, if a hit is in the sums already. */
    private static long maxNs(ByteBuffer value, int ended) {
        long maxNs = 0;
        for (int slot = 0; slot < 2; slot++) {
            int of = value.getInt(value.position() + SumLayout.INTERVAL_OFFSET + slot * Integer.BYTES);
            if (of == ended || of == ended + 1) {
                maxNs = Math.max(maxNs, value.getLong(value.position() + SumLayout.MAX_OFFSET + slot * Long.BYTES));
            }
        }
        return maxNs;
    }
}
