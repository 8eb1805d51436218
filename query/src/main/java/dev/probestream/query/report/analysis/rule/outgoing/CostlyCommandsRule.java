package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Commands of Redis whose work grows with the number of keys or elements, while Redis runs no other command. {@code KEYS} goes through
 * all keys, whatever it returns; the others count only if they take long.
 */
public final class CostlyCommandsRule implements Rule {
    static final String NAME = "costly-commands";

    private static final String KEYS = "KEYS";

    /** What to use instead (redis.io/docs/latest/commands, complexity O(N) and above). */
    private static final Map<String, String> INSTEAD = Map.ofEntries(
            Map.entry(
                    KEYS,
                    "SCAN goes through the keys in small steps; a set of the names that belong together needs neither"),
            Map.entry("SMEMBERS", "SSCAN returns a set in small steps, SMISMEMBER asks for some members"),
            Map.entry("HGETALL", "HMGET returns the fields that are needed, HSCAN all of them in small steps"),
            Map.entry("HKEYS", "HSCAN returns the fields in small steps"),
            Map.entry("HVALS", "HSCAN returns the fields in small steps, HMGET those that are needed"),
            Map.entry("LRANGE", "a smaller range needs less"),
            Map.entry("ZRANGE", "a smaller range needs less, ZSCAN returns all in small steps"),
            Map.entry("ZRANGEBYSCORE", "LIMIT makes the range smaller"),
            Map.entry("SORT", "a sorted set keeps the elements in their order"),
            Map.entry("SUNION", "SUNIONSTORE keeps the result for those who ask again"),
            Map.entry("SINTER", "SINTERCARD with LIMIT counts, SINTERSTORE keeps the result"),
            Map.entry("SDIFF", "SDIFFSTORE keeps the result for those who ask again"),
            Map.entry("DEL", "UNLINK frees the memory in another thread"),
            Map.entry("FLUSHALL", "FLUSHALL ASYNC frees the memory in another thread"),
            Map.entry("FLUSHDB", "FLUSHDB ASYNC frees the memory in another thread"));

    /** SQL: whether a row of report_sent is such a command. */
    static final String COSTLY = "(protocol = 'redis' AND split_part(upper(operation), ' ', 1) IN ("
            + INSTEAD.keySet().stream().sorted().collect(Collectors.joining("', '", "'", "'")) + "))";

    @Override
    public String remedy() {
        return "Use the command that the text names instead.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // A command's time without that of the network, which the fastest connect to the address measured.
        for (ResultRow row : database.rows("""
                WITH command AS (
                    SELECT *, split_part(upper(operation), ' ', 1) AS command,
                        CASE WHEN theirs_ns IS NOT NULL THEN greatest(theirs_ns - coalesce(wire_ns, 0), 0) END AS redis_ns
                    FROM report_statement WHERE protocol = 'redis'),
                costly AS (
                    SELECT s.capture_id, s.pid, s.database, s.peer, s.command, count(*) AS sent, count(redis_ns) AS answered,
                        coalesce(avg(redis_ns), 0) AS mean_ns, coalesce(max(redis_ns), 0) AS longest_ns,
                        coalesce(sum(redis_ns), 0) AS total_ns, mode(caller) AS caller,
                        count(DISTINCT parent_request_id) AS parents, mode(parent) AS parent,
                        any_value(c.last_ns - c.first_ns) AS recorded_ns
                    FROM command s JOIN report_capture c USING (capture_id)
                    WHERE %1$s
                    GROUP BY s.capture_id, s.pid, s.database, s.peer, s.command
                    HAVING (sent >= %2$d AND (command = '%3$s' OR mean_ns >= %4$d)) OR longest_ns >= %5$d),
                one AS (
                    SELECT s.capture_id, s.pid, s.peer, s.command, s.sent_ns, s.answered_ns
                    FROM command s JOIN costly k USING (capture_id, pid, peer, command)),
                -- Of each other command the costly one that was sent last before it.
                waited AS (
                    SELECT o.capture_id, o.pid, o.peer, o.command, count(*) AS waited
                    FROM command s
                    ASOF JOIN one o ON o.capture_id = s.capture_id AND o.pid = s.pid AND o.peer = s.peer AND o.sent_ns < s.sent_ns
                    WHERE s.command <> o.command AND s.sent_ns < o.answered_ns AND s.answered_ns >= o.answered_ns
                    GROUP BY ALL)
                SELECT k.*, coalesce(w.waited, 0) AS waited
                FROM costly k LEFT JOIN waited w USING (capture_id, pid, peer, command)
                ORDER BY total_ns DESC, command LIMIT 3""".formatted(
                        COSTLY,
                        Thresholds.COSTLY_COMMANDS,
                        KEYS,
                        Thresholds.COSTLY_COMMAND_NS,
                        Thresholds.SLOW_STATEMENT_ONCE_NS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        String command = row.text("command");
        double part = row.number("total_ns") / row.number("recorded_ns");
        Severity severity = part >= Thresholds.COSTLY_COMMANDS_SHARE_HIGH
                        || row.number("mean_ns") >= Thresholds.COSTLY_COMMAND_HIGH_NS
                ? Severity.HIGH
                : part >= Thresholds.COSTLY_COMMANDS_SHARE || row.number("mean_ns") >= Thresholds.COSTLY_COMMAND_NS
                        ? Severity.MEDIUM
                        : Severity.NOTE;
        String title = Statements.database(row) + " ran " + command + " "
                + Amounts.count(row.count("sent"), "time")
                + (command.equals(KEYS) ? ", which goes through all of its keys" : "") + Ordered.from(row) + ".";
        String text = took(row) + Ordered.byRequests(row, "sent it") + " Instead: " + INSTEAD.get(command) + ".";
        return new WeightedFinding(
                new Finding(NAME, severity, title, text, List.of(EvidenceLinks.OUTGOING, EvidenceLinks.SLOW_REQUESTS)),
                // Before the finding that the same statement is slow.
                1.01 * row.number("total_ns") / 1e6 + row.count("waited") * row.number("mean_ns") / 2e6);
    }

    private static String took(ResultRow row) {
        long unknown = row.count("sent") - row.count("answered");
        String ofUnknown = unknown == 0 ? "" : " How long " + unknown + " of them took is not known.";
        if (row.count("answered") == 0) {
            return "Redis runs one command at a time." + ofUnknown;
        }
        return "It took " + Amounts.ofNs(row.number("mean_ns")) + " on average without the network, at most "
                + Amounts.ofNs(row.number("longest_ns")) + ", and " + Amounts.ofNs(row.number("total_ns"))
                + " altogether ("
                + Amounts.share(row.number("total_ns"), row.number("recorded_ns"))
                + " of the recorded time)." + ofUnknown + " Redis runs one command at a time"
                + (row.count("waited") == 0
                        ? "."
                        : ": " + Amounts.count(row.count("waited"), "other command")
                                + " of this process were sent meanwhile and answered later.");
    }
}
