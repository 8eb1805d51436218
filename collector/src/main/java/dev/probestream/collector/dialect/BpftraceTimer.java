package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Token;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The timers of bpftrace: {@code profile:hz:99}, whose hits are samples, and {@code interval:s:5 { exit(); }}, an end. */
final class BpftraceTimer {
    private static final Map<String, Long> NS_BY_UNIT =
            Map.of("s", 1_000_000_000L, "ms", 1_000_000L, "us", 1_000L, "ns", 1L);
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final String NO_TIMERS =
            "timers are not supported, except interval:s:5 { exit(); }, which ends the command: hist prints its counts at"
                    + " every interval and stops after outputs (-i 5s -n 1); trace stops after lines (-M)";

    private final LineScanner line;

    BpftraceTimer(LineScanner line) {
        this.line = line;
    }

    static boolean isInterval(String attachPoint) {
        return attachPoint.matches("(interval|i):.*");
    }

    /**
     * Reads the block of an interval, which ends the command.
     *
     * @return the time after which it ends
     */
    Duration end(String attachPoint, int start) {
        List<String> words = List.of(attachPoint.split(":", -1));
        long periodNs = periodNs(words.subList(1, words.size()), start);
        if (!line.take("{")) {
            throw line.failAt(start, NO_TIMERS);
        }
        Token statement = line.next();
        boolean isExit = statement.isWord("exit") && line.take("(") && line.take(")");
        line.take(";");
        if (!isExit || !line.take("}")) {
            throw line.failAt(start, NO_TIMERS);
        }
        return Duration.ofNanos(periodNs);
    }

    /** Of {@code profile:hz:99}, {@code profile:ms:10}: how many samples a second, of which there is a whole number. */
    long frequencyHz(List<String> words, int start) {
        long periodNs = periodNs(words, start);
        boolean isHz = words.get(0).equals("hz");
        if (!isHz && NS_PER_SECOND % periodNs != 0) {
            throw line.failAt(start, "there is no whole number of samples a second: use profile:hz:N");
        }
        return isHz ? Long.parseLong(words.get(1)) : NS_PER_SECOND / periodNs;
    }

    private long periodNs(List<String> words, int start) {
        boolean isNumber = words.size() == 2 && words.get(1).matches("[1-9][0-9]{0,8}");
        if (isNumber && words.get(0).equals("hz")) {
            return Math.max(1, NS_PER_SECOND / Long.parseLong(words.get(1)));
        }
        Long unitNs = words.isEmpty() ? null : NS_BY_UNIT.get(words.get(0));
        if (!isNumber || unitNs == null) {
            throw line.failAt(start, "expected a unit and a number, such as hz:99, s:5 or ms:100");
        }
        return unitNs * Long.parseLong(words.get(1));
    }
}
