package dev.probestream.bench.query;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A recording of one capture as a sink writes it, in folders by hour, made by DuckDB itself since nothing but its size and shape
 * matters: 2,778 events a second of 8 threads, 6 spans for 100 events, four of them nested each time, a request for 100
 * events, and a fifth of the events belong to one.
 */
final class QueryTables {
    static final long EVENT_STEP_NS = 360_000;
    private static final long EVENTS_PER_HOUR = 3_600_000_000_000L / EVENT_STEP_NS;
    private static final int THREADS = 8;
    private static final int DEPTH = 4;
    private static final String ARGUMENTS = """
            NULL::BIGINT AS a2, NULL::BIGINT AS a3, NULL::BIGINT AS a4, NULL::BIGINT AS a5, NULL::BIGINT AS a6,
            NULL::BIGINT AS a7, NULL::VARCHAR AS s1, NULL::VARCHAR AS s2, NULL::BIGINT[] AS more_numbers,
            NULL::VARCHAR[] AS more_strings, NULL::BIGINT AS stack_id""";
    private static final String HEAD =
            "1::BIGINT AS capture_id, 1000 AS pid, 0 AS cpu, 1000000000000 + at_ns AS mono_ns,"
                    + " make_timestamp_ns(1767312000000000000 + at_ns)::TIMESTAMPTZ AS ts";

    private final Path folder;
    private final long events;

    private QueryTables(Path folder, long events) {
        this.folder = folder;
        this.events = events;
    }

    static void write(Path folder, long events) throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET memory_limit = '1GB'");
            statement.execute("SET TimeZone = 'UTC'");
            statement.execute("SET temp_directory = '" + folder + ".spilled'");
            new QueryTables(folder, events).write(statement);
        }
    }

    private void write(Statement statement) throws IOException, SQLException {
        for (long from = 0; from < events; from += EVENTS_PER_HOUR) {
            long to = Math.min(from + EVENTS_PER_HOUR, events);
            String hour = "/day=2026-01-02/hour=" + from / EVENTS_PER_HOUR;
            copy(statement, "events" + hour, events(from, to));
            copy(statement, "spans" + hour, spans(from * 6 / 100 / DEPTH, to * 6 / 100 / DEPTH));
            copy(statement, "requests" + hour, requests(from / 100, to / 100));
            copy(
                    statement,
                    "request_events" + hour,
                    "SELECT 1::BIGINT AS capture_id, 1 + i / 100 AS request_id, i AS sequence FROM range(" + from + ", "
                            + to + ", 5) t(i)");
        }
        copy(
                statement,
                "captures",
                "SELECT " + HEAD + ", 0::BIGINT AS boottime_ns, 'bench' AS host, true AS is_complete,"
                        + " 1000000000000 + " + events * EVENT_STEP_NS
                        + " AS end_mono_ns FROM (SELECT 0::BIGINT AS at_ns)");
        copy(
                statement,
                "threads",
                "SELECT 1::BIGINT AS capture_id, 1000 AS pid, (1000 + i)::INTEGER AS tid, 'node' AS name FROM range("
                        + THREADS + ") t(i)");
    }

    private static String events(long from, long to) {
        return "SELECT " + HEAD
                + ", sequence, tid, probe_id, 'probe ' || probe_id AS probe, 'bench' AS category, 'INSTANT' AS kind,"
                + " a0, sequence AS a1, '/srv/app/file-' || a0 % 500 AS s0, a0 % 4096 AS return_value, " + ARGUMENTS
                + " FROM (SELECT i AS sequence, (1000 + hash(i) % " + THREADS + ")::INTEGER AS tid,"
                + " (i % 20)::INTEGER AS probe_id, (hash(i + 7) % 1000000)::BIGINT AS a0, i * " + EVENT_STEP_NS
                + " + (hash(i) % 1000)::BIGINT AS at_ns FROM range(" + from + ", " + to + ") t(i))";
    }

    /** Blocks of nested spans, one after the other on each thread, in the order of their ends. */
    private static String spans(long from, long to) {
        long blockNs = EVENT_STEP_NS * 100 * DEPTH / 6;
        long lengthNs = blockNs * THREADS * 9 / 10;
        return "SELECT " + HEAD
                + ", make_timestamp_ns(1767312000000000000 + at_ns + duration_ns)::TIMESTAMPTZ AS end_ts, duration_ns,"
                + " sequence, tid, probe_id, 'span ' || level AS probe, 'bench' AS category, 'SPAN' AS kind,"
                + " sequence AS a0, NULL::BIGINT AS a1, '/srv/app/file-' || sequence % 500 AS s0, 0::BIGINT AS return_value, "
                + ARGUMENTS + " FROM (SELECT 1000000000 + i * " + DEPTH
                + " + k AS sequence, (100 + k)::INTEGER AS probe_id,"
                + " k AS level, (1000 + i % " + THREADS + ")::INTEGER AS tid, i // " + THREADS + " * "
                + blockNs * THREADS
                + " + k * " + lengthNs / 10 + " AS at_ns, " + lengthNs + " - k * " + lengthNs / 5
                + " AS duration_ns FROM range(" + from + ", " + to + ") t(i), range(" + (DEPTH - 1) + ", -1, -1) u(k))";
    }

    private static String requests(long from, long to) {
        return "SELECT " + HEAD + ", 1 + i AS request_id, 1000 AS tid, 'SERVER' AS side, 'GET' AS method,"
                + " '/route/' || i % 50 AS url, 200 AS status, 'COMPLETE' AS outcome, duration_ns,"
                + " make_timestamp_ns(1767312000000000000 + at_ns + duration_ns)::TIMESTAMPTZ AS end_ts, duration_ns // 2 AS javascript_ns,"
                + " duration_ns - duration_ns // 2 AS unattributed_ns"
                + " FROM (SELECT i, (1000000 + hash(i) % 50000000)::BIGINT AS duration_ns, i * " + 100 * EVENT_STEP_NS
                + " AS at_ns FROM range(" + from + ", " + to + ") t(i))";
    }

    private void copy(Statement statement, String where, String rows) throws IOException, SQLException {
        Path files = Files.createDirectories(folder.resolve(where));
        statement.execute("COPY (" + rows + ") TO '" + files.resolve("part-0.parquet")
                + "' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)");
    }
}
