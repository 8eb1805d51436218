package dev.probestream.convert.request.plan;

import java.util.HashMap;
import java.util.Map;

/**
 * At which times no request of a connection was missed: the hits of its parser have the number of bytes that came until then, and of those
 * that came now. Where both show that nothing came between two hits, no message has begun between them.
 */
final class WholeReadings {
    /** Beyond it nothing is known of further connections. */
    static final int LIMIT = 1 << 16;

    /** Of all connections together; then those in which nothing was lost are forgotten, as nobody asks for them. */
    static final int MAX_TIMES = 1 << 18;

    /** The loss of a hit is recorded at most so much later than the hits around it. */
    private static final long LOSSES_KNOWN_NS = 10_000_000_000L;

    private record Key(int pid, long stream) {}

    private final Map<Key, Readings> byStream = new HashMap<>();
    private final Times losses;
    private int times;
    private boolean isFull;

    /** @param losses the times at which hits were lost of which requests are made, as far as they are known. Borrowed */
    WholeReadings(Times losses) {
        this.losses = losses;
    }

    /**
     * A parser's hit.
     *
     * @param total how many bytes came on the connection until then
     * @param read of these, how many came now; -1 = unknown
     */
    void read(int pid, long stream, long total, long read, long nowNs) {
        Key key = new Key(pid, stream);
        Readings readings = byStream.get(key);
        if (readings == null && byStream.size() < LIMIT) {
            readings = new Readings();
            byStream.put(key, readings);
        }
        if (readings != null && !isFull) {
            times += readings.add(total, read, nowNs);
            if (times >= MAX_TIMES) {
                forget(nowNs - LOSSES_KNOWN_NS);
            }
        }
    }

    private void forget(long beforeNs) {
        times = 0;
        for (Readings readings : byStream.values()) {
            readings.times.removeIf((fromNs, toNs) -> toNs < beforeNs && !losses.areAny(fromNs, toNs));
            times += readings.times.size();
        }
        isFull = times > MAX_TIMES / 2;
    }

    /** How many times are kept. */
    int size() {
        return times;
    }

    /** A connection begins or ends there: what is read under that pointer from now on is another one's. */
    void renew(int pid, long stream) {
        Readings readings = byStream.get(new Key(pid, stream));
        if (readings != null) {
            readings.total = -1;
        }
    }

    boolean isWhole(int pid, long stream, long fromNs, long toNs) {
        Readings readings = byStream.get(new Key(pid, stream));
        return readings != null && readings.times.covers(fromNs, toNs);
    }

    /** Of one connection. */
    private static final class Readings {
        private final Times times = new Times();
        private long total = -1;
        private long lastNs;

        /** Returns how many times there are more. */
        int add(long newTotal, long read, long nowNs) {
            int more = 0;
            long since = newTotal - total;
            if (total >= 0 && nowNs >= lastNs && (since == 0 || since == read)) {
                int before = times.size();
                times.add(lastNs, nowNs);
                more = times.size() - before;
            }
            total = newTotal;
            lastNs = nowNs;
            return more;
        }
    }
}
