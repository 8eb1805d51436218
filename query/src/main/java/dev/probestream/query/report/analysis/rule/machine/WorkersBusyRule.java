package dev.probestream.query.report.analysis.rule.machine;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import dev.probestream.query.report.analysis.rule.HotSpot;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Worker threads of the process, or of another one of the recording, had the CPUs while the thread of the event loop was ready to run and had
 * none: how many, in which function, and how far requests were longer by it.
 */
public final class WorkersBusyRule implements Rule {
    static final String NAME = "workers-busy";

    @Override
    public String remedy() {
        return "Run fewer workers than the machine has CPUs (os.availableParallelism() - 1), so that the event loop has one; or give the"
                + " workers' process a lower priority (os.setPriority), or run them on another machine.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                WITH workers AS (
                    SELECT capture_id, pid, main_tid AS tid, count(*) AS workers, count(*) FILTER (worker_pid = pid) AS own,
                        string_agg(DISTINCT worker_pid::VARCHAR, ', ' ORDER BY worker_pid::VARCHAR) FILTER (worker_pid <> pid) AS other_pids,
                        sum(ran_ns) AS ran_ns, any_value(ready_ns) AS ready_ns, any_value(wanted_ns) AS wanted_ns, any_value(cpus) AS cpus
                    FROM report_busy_worker GROUP BY ALL),
                served AS (
                    SELECT capture_id, pid, tid, count(*) AS requests, sum(end_ns - start_ns) AS served_ns, sum(within_ns) AS within_ns
                    FROM time_within('report_served', 'report_no_cpu') GROUP BY ALL)
                SELECT w.*, coalesce(s.requests, 0) AS requests, s.served_ns, s.within_ns
                FROM workers w LEFT JOIN served s USING (capture_id, pid, tid)
                ORDER BY ready_ns DESC, pid""")) {
            found.add(finding(database, row)
                    .ofProcess(row)
                    .explaining(
                            Set.of(CpuStarvedRule.NAME, CpuPressureRule.NAME),
                            "the busy workers",
                            "they had the CPUs meanwhile"));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> spot = HotSpot.of(
                        database,
                        "SELECT s.capture_id, s.stack_id, 1 AS weight FROM report_sample s JOIN report_busy_worker w"
                                + " ON w.capture_id = s.capture_id AND w.worker_pid = s.pid AND w.worker_tid = s.tid"
                                + " WHERE w.main_tid = %d AND w.".formatted(row.count("tid"))
                                + row.sameProcess().replace(" AND ", " AND w."))
                .filter(known -> !known.function().isEmpty());
        double allNs = row.number("cpus") * row.number("ready_ns");
        String title = Amounts.count(row.count("workers"), "worker thread") + " had "
                + Amounts.share(Math.min(row.number("ran_ns"), allNs), allNs) + " of the "
                + Amounts.count(Math.round(row.number("cpus")), "CPU")
                + " while the event loop's thread was ready to run and had none"
                + spot.map(known -> ": they ran " + known.asSubject()).orElse("") + ".";
        String text = "The thread had no CPU for "
                + Amounts.share(row.number("ready_ns"), row.number("wanted_ns")) + " of the "
                + Amounts.ofNs(row.number("wanted_ns")) + " in which it ran or was ready to run."
                + (row.text("other_pids").isEmpty()
                        ? ""
                        : " Of the workers " + Amounts.count(row.count("workers") - row.count("own"))
                                + " are of other processes (" + row.text("other_pids") + ").")
                + (row.count("requests") == 0
                        ? ""
                        : " " + Amounts.share(row.number("within_ns"), row.number("served_ns")) + " of the time of "
                                + Amounts.count(row.count("requests"), "request") + " was this waiting.")
                + spot.map(known -> " " + Amounts.share(known.share(), 1) + " of the workers' CPU samples lie in "
                                + known.function() + "." + known.pathSentence())
                        .orElse("");
        return WeightedFinding.of(
                NAME,
                row.number("within_ns") >= Thresholds.WORKERS_REQUESTS_SHARE_HIGH * row.number("served_ns")
                        && row.count("requests") > 0,
                row.number("ready_ns") / 1e6,
                title,
                text,
                List.of(EvidenceLinks.CPU, EvidenceLinks.WAITING, EvidenceLinks.PROCESS));
    }
}
