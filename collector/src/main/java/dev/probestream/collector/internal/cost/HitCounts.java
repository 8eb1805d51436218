package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.MapNames;
import java.nio.ByteBuffer;

/** Reads how often each probe was hit by a traced process: the map {@link MapNames#HITS}. Not thread-safe. */
public final class HitCounts {
    private final BpfMap map;
    private final long[] counts;

    /** @param map borrowed for the lifetime of this object */
    public HitCounts(BpfMap map) {
        this.map = map;
        this.counts = new long[map.spec().maxEntries()];
    }

    /** The counts by probe id, since the programs were loaded; overwritten by the next call. */
    public long[] read() {
        map.forEach((key, value) -> counts[key.getInt(key.position())] = sum(value));
        return counts;
    }

    private static long sum(ByteBuffer perCpu) {
        long sum = 0;
        for (int at = perCpu.position(); at < perCpu.limit(); at += Long.BYTES) {
            sum += perCpu.getLong(at);
        }
        return sum;
    }
}
