package dev.probestream.convert.request.plan;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * When hits were lost that requests are made of; on the clock of the capture. Fed with the capture's probes and losses. What was seen on both
 * sides of a loss need not belong together.
 */
public final class LostHits {
    /** Times that overlap or touch are one. Beyond this number the earliest two are joined with what lies between them. */
    static final int MAX_TIMES = 1 << 16;

    /** By probe; those without a role of connections have none. */
    private final Map<Integer, Role> roles = new HashMap<>();

    private final NavigableMap<Long, Long> all = new TreeMap<>();
    private final NavigableMap<Long, Long> begins = new TreeMap<>();
    private final NavigableMap<Long, Long> closes = new TreeMap<>();

    /** A probe whose hits may be lost. */
    public void probe(Probe probe) {
        Role.ofSpelling(probe.getRole())
                .filter(Role::isOfConnections)
                .ifPresent(role -> roles.put(probe.getProbeId(), role));
    }

    /** Hits of a probe were lost, which was announced before. */
    public void loss(Loss loss) {
        Role role = roles.get(loss.getProbeId());
        if (role == null) {
            return;
        }
        add(all, loss);
        if (role == Role.STREAM_CLOSE) {
            add(closes, loss);
        } else if (role == Role.STREAM_ACCEPT || role == Role.STREAM_CONNECT) {
            add(begins, loss);
        }
    }

    private static void add(NavigableMap<Long, Long> times, Loss loss) {
        long fromNs = loss.getFromNs();
        long toNs = Math.max(fromNs, loss.getToNs());
        for (Map.Entry<Long, Long> touched = times.floorEntry(toNs);
                touched != null && touched.getValue() >= fromNs;
                touched = times.floorEntry(toNs)) {
            fromNs = Math.min(fromNs, touched.getKey());
            toNs = Math.max(toNs, touched.getValue());
            times.remove(touched.getKey());
        }
        times.put(fromNs, toNs);
        if (times.size() > MAX_TIMES) {
            Map.Entry<Long, Long> earliest = times.pollFirstEntry();
            times.put(earliest.getKey(), times.pollFirstEntry().getValue());
        }
    }

    /** Whether any are known. */
    public boolean areAny() {
        return !all.isEmpty();
    }

    /** Whether any may have been lost between two moments. */
    public boolean areAny(long fromNs, long toNs) {
        return areAny(all, fromNs, toNs);
    }

    /** Whether a connection may have been closed between two moments, and another one begun under its pointer, and neither was seen. */
    public boolean mayHideConnection(long fromNs, long toNs) {
        return areAny(closes, fromNs, toNs) && areAny(begins, fromNs, toNs);
    }

    private static boolean areAny(NavigableMap<Long, Long> times, long fromNs, long toNs) {
        Map.Entry<Long, Long> last = times.floorEntry(toNs);
        return last != null && last.getValue() >= fromNs;
    }
}
