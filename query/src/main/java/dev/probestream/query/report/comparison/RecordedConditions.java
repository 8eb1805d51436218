package dev.probestream.query.report.comparison;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.comparison.Measured.Machine;
import dev.probestream.query.report.comparison.Measured.Times;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads what was recorded, when, and on which machine. */
final class RecordedConditions {
    /** A mean of fewer hits is no measure of the CPU. */
    private static final int LEAST_HITS = 500;

    private final RecordingDatabase database;

    RecordedConditions(RecordingDatabase database) {
        this.database = database;
    }

    String path() throws QueryException {
        return database.row("SELECT string_agg(DISTINCT path, ', ' ORDER BY path) AS path FROM inputs")
                .text("path");
    }

    /** Each program by the name of its executable and, of an interpreter, of its script: "node server.js". */
    Set<String> programs() throws QueryException {
        Set<String> programs = new TreeSet<>();
        for (ResultRow row : database.rows("""
                SELECT DISTINCT trim(coalesce(regexp_extract(executable, '[^/]*$'), name) || ' ' || coalesce(
                    regexp_extract(argument, '[^/]*$'), '')) AS program
                FROM report_program
                WHERE pid IN (SELECT pid FROM report_loop_thread) OR NOT EXISTS (FROM report_loop_thread)""")) {
            if (!row.text("program").isEmpty()) {
                programs.add(row.text("program"));
            }
        }
        return programs;
    }

    Times times() throws QueryException {
        ResultRow row = database.row("""
                SELECT strftime(timezone('UTC', min(c.ts)), '%Y-%m-%d %H:%M:%S UTC') AS began,
                    epoch_ms(min(c.ts)) AS from_ms,
                    max(epoch_ms(c.ts) + (t.to_ns - t.from_ns) // 1000000) AS to_ms
                FROM captures c JOIN capture_times t USING (capture_id)""");
        Set<String> hosts = new HashSet<>();
        database.rows("SELECT DISTINCT host FROM captures WHERE host IS NOT NULL")
                .forEach(host -> hosts.add(host.text("host")));
        return new Times(row.text("began"), row.count("from_ms"), row.count("to_ms"), hosts);
    }

    Machine machine() throws QueryException {
        ResultRow row = database.row("""
                SELECT string_agg(DISTINCT coalesce(kernel_release, '') || ' ' || coalesce(machine, '') || ', '
                    || coalesce(cpu_count::VARCHAR, '?') || ' CPUs', '; ') AS description FROM captures""");
        List<String> sets =
                database.rows("SELECT DISTINCT category FROM probes WHERE category IS NOT NULL ORDER BY 1").stream()
                        .map(set -> set.text("category"))
                        .toList();
        return new Machine(stretch(sets), programNs(), row.text("description"), sets);
    }

    /** By the waits of all threads, and by those of the loops, whichever is more. */
    private double stretch(List<String> sets) throws QueryException {
        if (!sets.contains("sched") && !sets.contains("offcpu")) {
            return Double.NaN;
        }
        ResultRow row = database.row("""
                SELECT (SELECT sum(target_cpu_ns) FROM costs) AS cpu_ns,
                    coalesce((SELECT sum(total_ns) FROM hit_totals WHERE category = 'sched' AND probe = 'run delay'),
                        (SELECT sum(in_ns - ready_ns) FROM report_wait), 0) AS ready_ns,
                    (SELECT sum(own_ns) FROM report_turn) AS loop_ns,
                    (SELECT sum(no_cpu_ns) FROM report_turn) AS loop_ready_ns""");
        double all = row.number("cpu_ns") > 0 ? 1 + row.number("ready_ns") / row.number("cpu_ns") : 1;
        double loop = row.number("loop_ns") > 0 ? 1 + row.number("loop_ready_ns") / row.number("loop_ns") : 1;
        return Math.max(all, loop);
    }

    private Map<String, Double> programNs() throws QueryException {
        Map<String, Double> means = new HashMap<>();
        for (ResultRow row : database.rows("""
                SELECT category || ' ' || probe AS probe, sum(program_ns) / sum(hits) AS mean_ns
                FROM probe_costs GROUP BY 1 HAVING sum(hits) >= %d AND sum(program_ns) > 0""".formatted(LEAST_HITS))) {
            means.put(row.text("probe"), row.number("mean_ns"));
        }
        return means;
    }
}
