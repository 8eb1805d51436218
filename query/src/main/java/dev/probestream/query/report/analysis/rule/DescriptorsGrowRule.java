package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A process has more and more open descriptors: of which kind, how fast, until when that goes well, and who opens them. */
public final class DescriptorsGrowRule implements Rule {
    static final String NAME = "descriptors-grow";

    @Override
    public String remedy() {
        return "Close in the named function what it opens.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH kind AS (
                    SELECT capture_id, pid, name, arg_max(value, mono_ns) - arg_min(value, mono_ns) AS grown
                    FROM report_counter WHERE counter = 'descriptors' GROUP BY ALL),
                bound AS (
                    SELECT capture_id, pid, max(value) AS most FROM report_counter
                    WHERE counter = 'open descriptors' AND name = 'limit' GROUP BY ALL)
                SELECT g.*, k.kind, k.kind_grown, b.most FROM report_descriptor_growth g
                LEFT JOIN (SELECT capture_id, pid, arg_max(name, grown) AS kind, max(grown) AS kind_grown FROM kind GROUP BY ALL) k
                    USING (capture_id, pid)
                LEFT JOIN bound b USING (capture_id, pid)
                WHERE points >= %d AND grown >= %d AND last - first >= %d AND r2 >= %s AND late_share >= %s
                ORDER BY grown DESC""".formatted(
                        Thresholds.GROWTH_READINGS,
                        Thresholds.GROWN_DESCRIPTORS,
                        Thresholds.GROWN_DESCRIPTORS,
                        Thresholds.GROWTH_R2,
                        Thresholds.GROWTH_LATE_SHARE))) {
            boolean areSockets = row.text("kind").equals("sockets");
            double outgoing = areSockets ? outgoing(database, row) : 0;
            if (!areSockets
                    || row.number("grown") >= Thresholds.LEAKED_CLIENTS
                    || outgoing >= Thresholds.GROWN_DESCRIPTORS) {
                WeightedFinding finding = finding(database, row).ofProcess(row);
                found.add(outgoing >= row.number("grown") / 2 ? finding : finding.asOwnCause());
            }
        }
        return found;
    }

    /** How many connections that the process opened are open. Clients may keep theirs for a while. */
    private static double outgoing(RecordingDatabase database, ResultRow row) throws QueryException {
        return database.row(
                        "SELECT count(*) AS open FROM report_connection WHERE direction = 'outgoing' AND close_ns IS NULL"
                                + " AND " + row.sameProcess())
                .number("open");
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> caller = caller(database, row);
        String title = "Open descriptors grew from " + Amounts.count(row.count("first")) + " to "
                + Amounts.count(row.count("last")) + " in " + Amounts.ofMs(1000 * row.number("seconds"))
                + (row.text("kind").isEmpty() ? "" : ", most of them " + row.text("kind"))
                + caller.map(HotSpot::fromClause).orElse("");
        StringBuilder text = new StringBuilder("%s more each second, steadily (a line explains %s of it)."
                .formatted(perSecond(row.number("per_second")), Amounts.share(row.number("r2"), 1)));
        double leftS = (row.number("most") - row.number("last")) / row.number("per_second");
        if (row.number("most") > 0) {
            text.append(" The limit of ")
                    .append(Amounts.count(row.count("most")))
                    .append(
                            leftS <= 0
                                    ? " is reached."
                                    : " is reached in " + Amounts.ofMs(1000 * leftS) + " at this rate.");
        }
        files(database, row, text);
        openers(database, row, text);
        boolean isHigh = row.number("most") > 0
                && (row.number("last") >= Thresholds.DESCRIPTORS_HIGH_SHARE * row.number("most")
                        || leftS <= Thresholds.DESCRIPTORS_HIGH_S);
        return WeightedFinding.of(
                NAME,
                isHigh,
                row.number("grown"),
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.PROCESS, EvidenceLinks.FILES, EvidenceLinks.CONNECTIONS));
    }

    private static String perSecond(double rate) {
        return rate >= 10 ? Amounts.count(Math.round(rate)) : String.format(Locale.ROOT, "%.1f", rate);
    }

    private static void files(RecordingDatabase database, ResultRow row, StringBuilder text) throws QueryException {
        ResultRow files = database.row("""
                SELECT count(*) AS opened, arg_max(path, times) AS path, max(times) AS times
                FROM (SELECT path, count(*) OVER (PARTITION BY path) AS times FROM report_unclosed WHERE %s)""".formatted(row.sameProcess()));
        if (files.count("opened") > 0) {
            text.append(' ')
                    .append(Amounts.count(files.count("opened"), "file"))
                    .append(" were opened and not closed");
            if (!files.text("path").isEmpty()) {
                text.append(", ")
                        .append(files.text("path"))
                        .append(" most often (")
                        .append(Amounts.count(files.count("times"), "time"))
                        .append(')');
            }
            text.append('.');
        }
    }

    /** The system calls that make descriptors, by how often they were called. */
    private static void openers(RecordingDatabase database, ResultRow row, StringBuilder text) throws QueryException {
        List<ResultRow> calls = database.rows("""
                SELECT probe, sum(hits)::BIGINT AS hits FROM hit_totals
                WHERE %s AND category = 'syscalls' AND probe IN ('open', 'openat', 'openat2', 'socket', 'accept', 'accept4', 'pipe', 'pipe2',
                    'socketpair', 'epoll_create1', 'eventfd2', 'timerfd_create', 'inotify_init1', 'memfd_create', 'dup', 'dup3',
                    'pidfd_open', 'io_uring_setup')
                GROUP BY probe ORDER BY hits DESC, probe LIMIT 3""".formatted(row.sameProcess()));
        if (!calls.isEmpty()) {
            text.append(" Calls that open descriptors: ")
                    .append(String.join(
                            ", ",
                            calls.stream()
                                    .map(call -> call.text("probe") + " (" + Amounts.count(call.count("hits")) + ")")
                                    .toList()))
                    .append('.');
        }
    }

    /** Who opened what was not closed: files by the stack of the call, connections by that of their socket. */
    private static Optional<HotSpot> caller(RecordingDatabase database, ResultRow row) throws QueryException {
        boolean areSockets = row.text("kind").equals("sockets");
        return areSockets
                ? HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight
                        FROM (SELECT * FROM report_connection WHERE %s AND direction = 'outgoing' AND close_ns IS NULL) k
                        ASOF JOIN (FROM report_caller WHERE probe = 'caller of TCP socket') c
                            ON k.capture_id = c.capture_id AND k.pid = c.pid AND k.stream = c.stream AND k.open_ns + 50000 >= c.at_ns""".formatted(row.sameProcess()))
                : HotSpot.of(database, """
                        SELECT c.capture_id, c.stack_id, 1 AS weight
                        FROM (SELECT * FROM report_unclosed WHERE %s) u
                        ASOF JOIN (FROM report_caller WHERE starts_with(probe, 'caller of sync') OR probe = 'caller of fs work') c
                            ON u.capture_id = c.capture_id AND u.pid = c.pid AND u.tid = c.tid AND u.start_ns + 50000 >= c.at_ns
                        WHERE u.start_ns - c.at_ns < 1000000""".formatted(row.sameProcess()));
    }
}
