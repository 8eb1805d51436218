package dev.probestream.sink;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reports the begin of each wait once, and its end only if the begin was reported. Ends a sink that is to end by itself
 * when what only others can repair is missing for too long.
 */
final class WaitReports {
    /** Of the others, METADATA has a limit of its own, and the owner of a LOCK writes files meanwhile. */
    private static final Set<SinkWait> LIMITED = EnumSet.of(SinkWait.BROKER, SinkWait.TOPIC, SinkWait.DISK);

    /** @param state a clause on what is missing */
    private record Wait(String state, long sinceNanos) {}

    private final SinkListener listener;
    private final Optional<Duration> limit;
    private final Map<SinkWait, Wait> reported = new EnumMap<>(SinkWait.class);

    /** @param limit as {@link SinkRequest#waitLimit} */
    WaitReports(SinkListener listener, Optional<Duration> limit) {
        this.listener = listener;
        this.limit = limit;
    }

    /**
     * Reports a wait, unless it goes on already.
     *
     * @param state a clause on what is missing
     * @param plan a clause on what the sink does about it, or what the user can do
     */
    void begin(SinkWait reason, String state, String plan) {
        if (reported.putIfAbsent(reason, new Wait(state, System.nanoTime())) == null) {
            listener.waiting(reason, state + "; " + plan);
        }
    }

    void end(SinkWait reason) {
        if (reported.remove(reason) != null) {
            listener.resumed(reason);
        }
    }

    Optional<Duration> limit() {
        return limit;
    }

    /** Fails if a wait has exceeded the limit. */
    void check() throws SinkException {
        if (limit.isEmpty()) {
            return;
        }
        long nowNanos = System.nanoTime();
        for (SinkWait reason : LIMITED) {
            Wait wait = reported.get(reason);
            if (wait != null && nowNanos - wait.sinceNanos() >= limit.get().toNanos()) {
                throw new SinkException(
                        "cannot finish: after a wait of " + limit.get().toSeconds() + " s (--timeout), "
                                + wait.state()
                                + "; events that are not in files yet stay in the topic, and the next run writes them",
                        null);
            }
        }
    }
}
