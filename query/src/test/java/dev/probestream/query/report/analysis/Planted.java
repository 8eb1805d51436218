package dev.probestream.query.report.analysis;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.route.Route;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.RecordingFolder;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A recording with a planted cause, built hit by hit: process 100, whose thread 100 has an event loop; times in ms from the start. */
public final class Planted implements AutoCloseable {
    public static final int LOOP = 100;

    private final RecordingFolder tables = RecordingFolder.create();
    private final Map<String, Integer> probes = new LinkedHashMap<>();
    private int sequence;
    private int stacks;
    private int requests;

    public Planted() throws SQLException {
        // One transaction for all hits: an INSERT of its own each would be slow.
        tables.execute("BEGIN");
        tables.execute(
                "INSERT INTO captures BY NAME SELECT 1 AS capture_id, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS ts,"
                        + " 0 AS mono_ns, 'web-1' AS host, true AS is_complete, 'Ctrl-C' AS end_reason");
        tables.execute("INSERT INTO processes BY NAME SELECT 1 AS capture_id, 100 AS pid, 'node' AS name");
        thread(LOOP, "node");
    }

    public Planted thread(int tid, String name) throws SQLException {
        tables.execute("INSERT INTO threads BY NAME SELECT 1 AS capture_id, 100 AS pid, %d AS tid, '%s' AS name"
                .formatted(tid, name));
        return this;
    }

    /** Arguments by their names: a text, or a number. */
    public Planted span(
            int tid, String category, String probe, double fromMs, double toMs, Map<String, Object> arguments)
            throws SQLException {
        return span(tid, category, probe, fromMs, toMs, arguments, 0);
    }

    public Planted span(
            int tid,
            String category,
            String probe,
            double fromMs,
            double toMs,
            Map<String, Object> arguments,
            long returned)
            throws SQLException {
        tables.execute("INSERT INTO spans BY NAME SELECT %s, 'SPAN' AS kind, %d AS duration_ns, %d AS return_value %s"
                .formatted(
                        common(tid, category, probe, fromMs, arguments),
                        ns(toMs) - ns(fromMs),
                        returned,
                        values(arguments)));
        return this;
    }

    public Planted event(int tid, String category, String probe, double atMs, Map<String, Object> arguments, long stack)
            throws SQLException {
        return event(tid, category, probe, "INSTANT", atMs, arguments, stack);
    }

    private Planted event(
            int tid, String category, String probe, String kind, double atMs, Map<String, Object> arguments, long stack)
            throws SQLException {
        tables.execute("INSERT INTO events BY NAME SELECT %s, '%s' AS kind, %s AS stack_id %s"
                .formatted(
                        common(tid, category, probe, atMs, arguments),
                        kind,
                        stack == 0 ? "NULL" : stack + "",
                        values(arguments)));
        return this;
    }

    /** Turns of the loop, one after the other: each waits for 1 ms and is then busy. */
    public Planted turns(double... busyMs) throws SQLException {
        double atMs = 0;
        for (double busy : busyMs) {
            poll(atMs, atMs + 1);
            atMs += 1 + busy;
        }
        return poll(atMs, atMs + 1);
    }

    public Planted poll(double fromMs, double toMs) throws SQLException {
        return span(LOOP, "node-loop", "poll", fromMs, toMs, Map.of("loop", 7));
    }

    public Planted samples(int tid, double fromMs, double toMs, long stack) throws SQLException {
        for (double atMs = fromMs; atMs < toMs; atMs += 10) {
            event(tid, "profile", "cpu sample", atMs, Map.of("period_ns", 10_000_000), stack);
        }
        return this;
    }

    /** The thread leaves the CPU and comes back; by a preemption, or because it waits. */
    public Planted offCpu(int tid, double fromMs, double toMs, boolean isPreempted) throws SQLException {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("prev_tid", tid);
        out.put("prev_pid", 100);
        out.put("prev_prio", 120);
        out.put("prev_state", isPreempted ? 0 : 1);
        out.put("next_tid", 9);
        out.put("next_pid", 9);
        out.put("next_prio", 120);
        out.put("prev_comm", "node");
        out.put("next_comm", "stress");
        Map<String, Object> in = new LinkedHashMap<>(out);
        in.put("prev_tid", 9);
        in.put("prev_pid", 9);
        in.put("next_tid", tid);
        in.put("next_pid", 100);
        event(tid, "sched", "sched_switch", "SWITCH", fromMs, out, 0);
        return event(9, "sched", "sched_switch", "SWITCH", toMs, in, 0);
    }

    /** Thread {@code waker} makes {@code woken} ready to run. */
    public Planted waking(int waker, double atMs, int woken) throws SQLException {
        return event(waker, "sched", "sched_waking", "WAKING", atMs, Map.of("woken", woken), 0);
    }

    /** As {@link #offCpu(int, double, double, boolean)}: it waits with this stack. */
    public Planted waits(int tid, double fromMs, double toMs, long stack) throws SQLException {
        offCpu(tid, fromMs, toMs, false);
        return sql("UPDATE events SET stack_id = %d WHERE sequence = %d".formatted(stack, sequence - 2));
    }

    /** The leaf first; "name file:line" is JavaScript, as are frames without a name ("JavaScript (interpreted)"), anything else native. */
    public long stack(String... leafFirst) throws SQLException {
        stacks++;
        for (int depth = 0; depth < leafFirst.length; depth++) {
            String[] words = leafFirst[depth].split(" (?=/|node:)");
            String source = words.length == 1 ? "" : words[1];
            int colon = source.lastIndexOf(':');
            tables.execute(
                    "INSERT INTO stacks BY NAME SELECT 1 AS capture_id, %d AS stack_id, %d AS depth, '%s' AS symbol,"
                                    .formatted(stacks, depth, words[0])
                            + (source.isEmpty()
                                    ? (words[0].startsWith("JavaScript") ? " 'JS' AS kind" : " 'NATIVE' AS kind")
                                    : " 'JS' AS kind, '%s' AS file, %s AS line"
                                            .formatted(source.substring(0, colon), source.substring(colon + 1))));
        }
        return stacks;
    }

    /** {@code more}: further columns, as SQL. */
    public Planted request(String side, String url, double fromMs, double toMs, String more) throws SQLException {
        requests++;
        tables.execute("INSERT INTO requests BY NAME SELECT 1 AS capture_id, %d AS request_id, 100 AS pid, 100 AS tid,"
                        .formatted(requests)
                + " '%s' AS side, 'GET' AS method, '%s' AS url, %d AS mono_ns, %d AS duration_ns, 'COMPLETE' AS outcome %s"
                        .formatted(side, url, ns(fromMs), ns(toMs) - ns(fromMs), more.isEmpty() ? "" : ", " + more)
                + (more.contains("AS operation") ? "" : ", 'GET %s' AS operation".formatted(Route.of(url))));
        return this;
    }

    public Planted sql(String sql) throws SQLException {
        tables.execute(sql);
        return this;
    }

    public ReportContents report(Path folder) throws SQLException, IOException, QueryException {
        tables.execute("COMMIT");
        Path written = tables.write(folder.resolve("tables"));
        try (Recordings recordings = Recordings.open(List.of(written), Limits.standard(), ConversionProgress.NONE)) {
            return ReportAnalysis.of(recordings, "test", Instant.EPOCH);
        } finally {
            tables.execute("BEGIN");
        }
    }

    /** Its tables, as a folder. */
    public Path write(Path folder) throws SQLException, IOException {
        tables.execute("COMMIT");
        Path written = tables.write(folder);
        tables.execute("BEGIN");
        return written;
    }

    /** The first column of a query's rows. */
    public List<String> answer(Path folder, String sql) throws SQLException, IOException, QueryException {
        tables.execute("COMMIT");
        Path written = tables.write(folder.resolve("tables"));
        List<String> answer = new ArrayList<>();
        try (Recordings recordings = Recordings.open(List.of(written), Limits.standard(), ConversionProgress.NONE);
                Statement statement = recordings.connection().createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                answer.add(rows.getString(1));
            }
        } finally {
            tables.execute("BEGIN");
        }
        return answer;
    }

    /** The set was not watched. */
    public Planted gap(String category, double fromMs, double toMs) throws SQLException {
        return sql(
                "INSERT INTO gaps BY NAME SELECT 1 AS capture_id, '%s' AS category, 'BUDGET' AS reason, %d AS from_mono_ns, %d AS to_mono_ns"
                        .formatted(category, ns(fromMs), ns(toMs)));
    }

    public List<Finding> findings(Path folder) throws SQLException, IOException, QueryException {
        return report(folder).findings();
    }

    /** The names of the rules that found something, the worst first. */
    public List<String> rules(Path folder) throws SQLException, IOException, QueryException {
        return findings(folder).stream().map(Finding::rule).toList();
    }

    /** The first finding of a rule. */
    public Finding finding(Path folder, String rule) throws SQLException, IOException, QueryException {
        List<Finding> findings = findings(folder);
        return findings.stream()
                .filter(finding -> finding.rule().equals(rule))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + rule + " in " + findings));
    }

    @Override
    public void close() throws SQLException {
        tables.close();
    }

    private static long ns(double ms) {
        return Math.round(ms * 1e6);
    }

    private String common(int tid, String category, String probe, double atMs, Map<String, Object> arguments)
            throws SQLException {
        int probeId = probe(category, probe, arguments);
        return ("1 AS capture_id, %d AS sequence, 100 AS pid, %d AS tid, 0 AS cpu, %d AS probe_id, '%s' AS probe, '%s' AS category,"
                        + " 'web-1' AS host, %d AS mono_ns, make_timestamptz(1767225600000000 + %d) AS ts")
                .formatted(sequence++, tid, probeId, probe, category, ns(atMs), ns(atMs) / 1000);
    }

    private int probe(String category, String probe, Map<String, Object> arguments) throws SQLException {
        String key = category + "/" + probe;
        Integer known = probes.get(key);
        if (known != null) {
            return known;
        }
        int id = probes.size() + 1;
        probes.put(key, id);
        List<String> structs = new ArrayList<>();
        columns(arguments)
                .forEach((column, name) -> structs.add(
                        "{'name': '%s', 'type': '', 'unit': '', 'flow': '', 'column': '%s', 'labels': MAP {'1': 'one'}}"
                                .formatted(name, column)));
        tables.execute(
                "INSERT INTO probes BY NAME SELECT 1 AS capture_id, %d AS probe_id, '%s' AS probe, '%s' AS category,"
                                .formatted(id, probe, category)
                        + " 'errno' AS return_unit, [" + String.join(", ", structs) + "] AS arguments");
        return id;
    }

    /** Which argument is in which column: numbers in a0 ..., texts in s0 ... */
    private static Map<String, String> columns(Map<String, Object> arguments) {
        Map<String, String> columns = new LinkedHashMap<>();
        int numbers = 0;
        int texts = 0;
        // Map.of has no order.
        Map<String, Object> ordered = arguments instanceof LinkedHashMap ? arguments : new TreeMap<>(arguments);
        for (Map.Entry<String, Object> argument : ordered.entrySet()) {
            boolean isText = argument.getValue() instanceof String;
            columns.put(isText ? "s" + texts++ : "a" + numbers++, argument.getKey());
        }
        return columns;
    }

    private static String values(Map<String, Object> arguments) {
        StringBuilder sql = new StringBuilder();
        columns(arguments).forEach((column, name) -> {
            Object value = arguments.get(name);
            sql.append(", ")
                    .append(value instanceof String ? "'" + value + "'" : value)
                    .append(" AS ")
                    .append(column);
        });
        return sql.toString();
    }
}
