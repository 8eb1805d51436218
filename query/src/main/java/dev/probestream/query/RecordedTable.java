package dev.probestream.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The tables of a recording, with the columns that docs/tables.md names and their types in DuckDB. */
enum RecordedTable {
    EVENTS("ts TIMESTAMPTZ", Columns.OF_EVENTS),
    SPANS("ts TIMESTAMPTZ, end_ts TIMESTAMPTZ, duration_ns BIGINT", Columns.OF_EVENTS),
    REQUESTS(
            "ts TIMESTAMPTZ, end_ts TIMESTAMPTZ, duration_ns BIGINT, mono_ns BIGINT, capture_id BIGINT",
            "request_id BIGINT, parent_request_id BIGINT, pid INTEGER, tid INTEGER, side VARCHAR, method VARCHAR",
            "url VARCHAR, route VARCHAR, status INTEGER, outcome VARCHAR, is_tls BOOLEAN, keep_alive BOOLEAN",
            "remote_address VARCHAR, remote_port INTEGER, local_address VARCHAR, local_port INTEGER",
            "received_bytes BIGINT, sent_bytes BIGINT, head_ns BIGINT, javascript_ns BIGINT, gc_ns BIGINT",
            "off_cpu_ns BIGINT, loop_wait_ns BIGINT, pool_queue_ns BIGINT, pool_run_ns BIGINT, network_ns BIGINT",
            "unattributed_ns BIGINT, protocol VARCHAR, operation VARCHAR, statement VARCHAR, rows BIGINT, reply VARCHAR",
            "error_code VARCHAR, peer_name VARCHAR, caller VARCHAR, caller_package VARCHAR, waited_ns BIGINT",
            "trace_id VARCHAR, span_id VARCHAR, parent_source VARCHAR, database VARCHAR"),
    REQUEST_EVENTS("capture_id BIGINT, request_id BIGINT, sequence BIGINT, source VARCHAR"),
    STACKS(
            "capture_id BIGINT, stack_id BIGINT, depth INTEGER, symbol VARCHAR, module VARCHAR, offset BIGINT",
            "kind VARCHAR, file VARCHAR, line INTEGER, col INTEGER, call_line INTEGER, call_col INTEGER",
            "is_inlined BOOLEAN, is_async BOOLEAN, source_file VARCHAR, source_line INTEGER"),
    PROCESSES(
            "capture_id BIGINT, pid INTEGER, parent_pid INTEGER, uid INTEGER, name VARCHAR, executable VARCHAR",
            "command_line VARCHAR[], start_ts TIMESTAMPTZ, start_mono_ns BIGINT, end_ts TIMESTAMPTZ",
            "end_mono_ns BIGINT, exit_code INTEGER, exit_signal INTEGER"),
    THREADS(
            "capture_id BIGINT, pid INTEGER, tid INTEGER, name VARCHAR, start_ts TIMESTAMPTZ, start_mono_ns BIGINT",
            "end_ts TIMESTAMPTZ, end_mono_ns BIGINT"),
    PROBES(
            "capture_id BIGINT, probe_id INTEGER, probe VARCHAR, category VARCHAR, kind VARCHAR, spec VARCHAR",
            "module VARCHAR, arguments " + Columns.OF_ARGUMENTS,
            "return_type VARCHAR, return_unit VARCHAR, is_end_derived BOOLEAN"),
    CAPTURES(
            "capture_id BIGINT, ts TIMESTAMPTZ, mono_ns BIGINT, boottime_ns BIGINT, host VARCHAR, boot_id VARCHAR",
            "kernel_name VARCHAR, kernel_release VARCHAR, kernel_version VARCHAR, machine VARCHAR",
            "cpu_count INTEGER, tool_version VARCHAR, command VARCHAR[], end_ts TIMESTAMPTZ, end_mono_ns BIGINT",
            "end_reason VARCHAR, delivered BIGINT, lost BIGINT, is_complete BOOLEAN"),
    LOSSES(
            "capture_id BIGINT, probe_id INTEGER, probe VARCHAR, cpu INTEGER, reason VARCHAR, count BIGINT",
            Columns.OF_INTERVALS),
    HIT_SUMMARIES(
            "capture_id BIGINT, probe_id INTEGER, probe VARCHAR, category VARCHAR, pid INTEGER, tid INTEGER",
            Columns.OF_INTERVALS,
            "count BIGINT, failed BIGINT, total_ns BIGINT, max_ns BIGINT, durations BIGINT[]"),
    GAPS("capture_id BIGINT, category VARCHAR, probe_id INTEGER, probe VARCHAR, reason VARCHAR", Columns.OF_INTERVALS),
    COSTS(
            "capture_id BIGINT",
            Columns.OF_INTERVALS,
            "target_cpu_ns BIGINT, probes STRUCT(probe_id INTEGER,hits BIGINT,program_ns BIGINT,trap_ns BIGINT)[]");

    /** {@code name TYPE, name TYPE}. */
    private final String columns;

    RecordedTable(String... columns) {
        this.columns = String.join(", ", columns);
    }

    /** A column and its type, in SQL. */
    record Column(String name, String type) {}

    /** The name of the relation, and of the folder with its files. */
    String sqlName() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<Column> columns() {
        List<Column> parsed = new ArrayList<>();
        for (String column : columns.split(", ", -1)) {
            int space = column.indexOf(' ');
            parsed.add(new Column(column.substring(0, space), column.substring(space + 1)));
        }
        return parsed;
    }

    /** A class of its own, because an enum's constants are created before its static fields. */
    private static final class Columns {
        private static final String OF_EVENTS = "mono_ns BIGINT, capture_id BIGINT, sequence BIGINT, pid INTEGER,"
                + " tid INTEGER, cpu INTEGER, probe_id INTEGER, probe VARCHAR, category VARCHAR, kind VARCHAR,"
                + " a0 BIGINT, a1 BIGINT, a2 BIGINT, a3 BIGINT, a4 BIGINT, a5 BIGINT, a6 BIGINT, a7 BIGINT,"
                + " s0 VARCHAR, s1 VARCHAR, s2 VARCHAR, more_numbers BIGINT[], more_strings VARCHAR[],"
                + " return_value BIGINT, stack_id BIGINT, host VARCHAR";

        private static final String OF_INTERVALS =
                "from_ts TIMESTAMPTZ, from_mono_ns BIGINT, to_ts TIMESTAMPTZ, to_mono_ns BIGINT";

        /** No spaces after the commas: it is one type. */
        private static final String OF_ARGUMENTS = "STRUCT(\"name\" VARCHAR,\"type\" VARCHAR,unit VARCHAR,flow VARCHAR,"
                + "\"column\" VARCHAR,labels MAP(VARCHAR,VARCHAR))[]";
    }
}
