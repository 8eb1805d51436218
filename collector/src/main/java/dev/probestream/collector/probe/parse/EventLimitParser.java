package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ProbeSpec;
import java.util.Map;

/**
 * Reads which hits of {@code syscalls} and {@code sched} are events: {@code :all}, or those from a duration on, {@code
 * :500us}. Left out it is {@link #DEFAULT_LIMIT_NS}.
 */
final class EventLimitParser {
    private static final long DEFAULT_LIMIT_NS = 1_000_000;
    private static final int MAX_DIGITS = 9;
    private static final Map<String, Long> UNITS_NS =
            Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L);

    private final SpecText text;

    EventLimitParser(SpecText text) {
        this.text = text;
    }

    /** {@code all}, or the limit in nanoseconds. */
    String parse() {
        if (!text.take(':')) {
            return String.valueOf(DEFAULT_LIMIT_NS);
        }
        int start = text.position();
        String word = text.run(Character::isLetterOrDigit);
        if (word.equals(ProbeSpec.ALL_EVENTS)) {
            return ProbeSpec.ALL_EVENTS;
        }
        int digits = 0;
        while (digits < word.length() && Character.isDigit(word.charAt(digits))) {
            digits++;
        }
        Long unitNs = UNITS_NS.get(word.substring(digits));
        if (digits == 0 || digits > MAX_DIGITS || unitNs == null) {
            throw text.failAt(start, "expected all, or from which duration on a hit is an event, as in 500us or 10ms");
        }
        return String.valueOf(Long.parseLong(word.substring(0, digits)) * unitNs);
    }
}
