package dev.probestream.convert.request.plan;

import dev.probestream.schema.EventView;
import java.util.HashMap;
import java.util.Map;

/**
 * At which times no request of a connection was missed: the hits of its parser have the number of bytes that came until then, and of those
 * that came now. Where both show that nothing came between two hits, no message has begun between them.
 */
final class WholeReadings {
    /** Beyond it nothing is known of further connections. */
    static final int LIMIT = 1 << 16;

    private record Key(int pid, long stream) {}

    private final Map<Key, Readings> byStream = new HashMap<>();

    /** A parser's hit. */
    void read(ProbePlan plan, EventView event) {
        long stream = plan.readFrom(event);
        if (stream == 0 || !plan.has(Field.RECEIVED, event)) {
            return;
        }
        Key key = new Key(event.pid(), stream);
        Readings readings = byStream.get(key);
        if (readings == null && byStream.size() < LIMIT) {
            readings = new Readings();
            byStream.put(key, readings);
        }
        if (readings != null) {
            long total = plan.number(Field.RECEIVED, event, 0);
            readings.add(total, plan.number(Field.READ, event, -1), event.timestampNs());
        }
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

        void add(long newTotal, long read, long nowNs) {
            long since = newTotal - total;
            if (total >= 0 && nowNs >= lastNs && (since == 0 || since == read)) {
                times.add(lastNs, nowNs);
            }
            total = newTotal;
            lastNs = nowNs;
        }
    }
}
