package dev.probestream.bench.truth;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One comparison of what a handler ordered with what the tables have of it.
 *
 * @param kind that of the order, or {@link #WAITED}
 * @param hit NULL if the recording does not have it
 */
record ComparedOrder(
        LoggedOrder ordered, String kind, @Nullable OwnedHit hit, Verdict verdict) {
    /** How long an outgoing request waited for a connection. */
    static final String WAITED = "waited_ns";

    /** The times are taken in different places. */
    private static final long TOLERANCE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Compares all; hits that were not ordered, such as those of another load, are left out.
     *
     * @param callbacks that ran meanwhile: a wait counts from the end of the one that asks
     */
    static List<ComparedOrder> all(List<LoggedOrder> orders, List<OwnedHit> hits, List<Callback> callbacks) {
        Map<String, LoggedOrder> byName =
                orders.stream().collect(Collectors.toMap(LoggedOrder::name, Function.identity()));
        List<ComparedOrder> all = new ArrayList<>();
        Set<String> found = new HashSet<>();
        for (OwnedHit hit : hits) {
            LoggedOrder ordered = byName.get(hit.name());
            if (ordered == null) {
                continue;
            }
            found.add(hit.name());
            all.add(new ComparedOrder(ordered, ordered.kind(), hit, owner(ordered, hit)));
            if (ordered.atNs() != 0) {
                all.add(new ComparedOrder(
                        ordered, WAITED, hit, waited(ordered, hit, Callback.end(callbacks, ordered.atNs()))));
            }
        }
        for (LoggedOrder ordered : orders) {
            if (!found.contains(ordered.name())) {
                all.add(new ComparedOrder(ordered, ordered.kind(), null, Verdict.MISSING));
            }
        }
        return all;
    }

    private static Verdict owner(LoggedOrder ordered, OwnedHit hit) {
        OwnedHit.Owner owner = hit.owner();
        if (owner == null || owner.url() == null) {
            return Verdict.UNKNOWN;
        }
        return ordered.request().equals(owner.url()) ? Verdict.RIGHT : Verdict.WRONG;
    }

    /**
     * Right is what lies between the wait from the call on and the wait from the callback's end on. A request that hardly waited may
     * have no number.
     */
    private static Verdict waited(LoggedOrder ordered, OwnedHit hit, long callbackEndNs) {
        long leastNs = hit.atNs() - callbackEndNs - TOLERANCE_NS;
        long mostNs = hit.atNs() - ordered.atNs() + TOLERANCE_NS;
        Long waitedNs = hit.waitedNs();
        if (waitedNs == null) {
            return leastNs <= 0 ? Verdict.RIGHT : Verdict.UNKNOWN;
        }
        return waitedNs >= leastNs && waitedNs <= mostNs ? Verdict.RIGHT : Verdict.WRONG;
    }
}
