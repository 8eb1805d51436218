package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.FilterTranslator;
import dev.probestream.collector.internal.expression.LineScanner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A parser of bpftrace programs:
 *
 * <pre>
 *   PROBE[, PROBE ...] [/CONDITION/] { STATEMENT; ... } ...          (see also {@link KeptValues})
 *   interval:s:5 { exit(); }
 * </pre>
 *
 * @param <T> what a block is parsed into
 */
final class BpftraceProgram<T> {
    static final String NO_MAPS = "maps (@) are not supported by trace; use hist for counts and histograms";
    static final String NO_VARIABLES =
            "variables ($) are not supported: only arguments are printed and counted; use span: to pair a call with its"
                    + " return";

    private final LineScanner line;
    private final Block<T> block;
    private final List<KeptValues.Begin> begins = new ArrayList<>();
    private final Set<KeptValues.Begin> ended = new HashSet<>();
    private Optional<Duration> limit = Optional.empty();

    /**
     * A probe of the program.
     *
     * @param written in bpftrace's syntax
     * @param spec in the syntax of a probe spec
     * @param position in the program
     */
    record AttachPoint(String written, String spec, int position) {}

    /**
     * A parser of the statements between braces, for one probe.
     *
     * @param <T> what they are parsed into
     */
    interface Block<T> {
        /**
         * Reads statements up to the closing brace.
         *
         * @param filter in the syntax of a probe spec, with a blank before it; "" if there is none
         */
        T parse(LineScanner line, AttachPoint point, String filter, BpftraceOperands values);
    }

    BpftraceProgram(String text, Block<T> block) {
        this.line = new LineScanner(text, true);
        this.block = block;
    }

    List<T> parse() {
        List<T> lines = new ArrayList<>();
        line.skipBlanks();
        while (!line.atEnd()) {
            lines.addAll(clause());
            line.skipBlanks();
        }
        for (KeptValues.Begin begin : begins) {
            if (!ended.contains(begin)) {
                throw line.failAt(
                        begin.points().get(0).position(),
                        "what this probe keeps ("
                                + String.join(", ", begin.values().get(0).keySet())
                                + ") is used at no probe behind it");
            }
        }
        if (lines.isEmpty() && limit.isPresent()) {
            throw line.failAt(0, "the program has no probe, only an end");
        }
        return lines;
    }

    /** The time after which {@code interval:s:5 { exit(); }} ends the command, once the program is parsed. */
    Optional<Duration> limit() {
        return limit;
    }

    private List<T> clause() {
        line.skipBlanks();
        int start = line.position();
        String first = new BpftraceAttachPoint(line).read();
        if (BpftraceTimer.isInterval(first)) {
            Duration end = new BpftraceTimer(line).end(first, start);
            limit = limit.filter(other -> other.compareTo(end) <= 0).or(() -> Optional.of(end));
            return List.of();
        }
        line.moveTo(start);
        List<AttachPoint> points = attachPoints();
        int body = line.position();
        if (KeptValues.isKept(line)) {
            KeptValues.Begin begin =
                    new KeptValues.Begin(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (AttachPoint point : points) {
                line.moveTo(body);
                KeptValues.read(line, point, begin);
            }
            begins.add(begin);
            return List.of();
        }
        List<T> lines = new ArrayList<>();
        for (AttachPoint point : points) {
            line.moveTo(body);
            KeptValues kept = KeptValues.usedIn(line, begins, lines.size(), points.size());
            kept.begin().ifPresent(ended::add);
            lines.add(line(point, kept));
        }
        return lines;
    }

    private List<AttachPoint> attachPoints() {
        List<AttachPoint> points = new ArrayList<>();
        do {
            line.skipBlanks();
            int start = line.position();
            String written = new BpftraceAttachPoint(line).read();
            points.add(new AttachPoint(written, new BpftraceAttachPoint(line).translate(written, start), start));
        } while (line.take(","));
        return points;
    }

    private T line(AttachPoint point, KeptValues kept) {
        BpftraceOperands values = new BpftraceOperands(line, point.written(), kept);
        String filter = condition(line, values);
        line.expect("{", "before the statements");
        T parsed = block.parse(line, point, filter, values);
        kept.checkDeleted(point.position());
        return parsed;
    }

    /** Reads a condition, if there is one: in the syntax of a probe spec, with a blank before it; else "". */
    static String condition(LineScanner line, BpftraceOperands values) {
        if (!line.take("/")) {
            return "";
        }
        String filter = new FilterTranslator(line, values).translate();
        line.expect("/", "at the end of the condition");
        return filter.isEmpty() ? "" : " /" + filter + "/";
    }
}
