package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An event loop is busy nearly all the time, in turns none of which is long: with what, and in which functions. */
public final class CpuBurntRule implements Rule {
    public static final String NAME = "cpu-burnt";

    private static final int MOST_FUNCTIONS = 3;

    @Override
    public String remedy() {
        return "Make the named function cheaper, or run more processes.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT *, own_ns / nullif(awake_ns, 0) AS use, timers_ns / nullif(busy_ns, 0) AS timers_part
                FROM report_loop_use JOIN report_capture c USING (capture_id)
                WHERE turns >= %d AND own_ns >= %s * (c.last_ns - c.first_ns) AND long_ns <= %s * own_ns
                    AND NOT %s AND NOT %s AND (capture_id, tid) NOT IN (SELECT (capture_id, worker_tid) FROM report_busy_worker)
                ORDER BY own_ns DESC""".formatted(
                        Thresholds.BURNT_TURNS,
                        Thresholds.BURNT_RECORDED_SHARE,
                        Thresholds.LONG_TURNS_PART,
                        FloodRule.MICROTASKS.filled,
                        FloodRule.NEXT_TICKS.filled))) {
            boolean isOfTimers = row.number("timers_part") >= Thresholds.TIMERS_PART;
            if (row.number("use") >= (isOfTimers ? Thresholds.BURNT_TIMERS_SHARE : Thresholds.BURNT_SHARE)) {
                found.add(finding(database, row, isOfTimers).ofProcess(row));
            }
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row, boolean isOfTimers)
            throws QueryException {
        String thread = row.sameThread();
        Optional<HotSpot> hot = HotSpot.of(
                        database, "SELECT capture_id, stack_id, 1 AS weight FROM report_sample WHERE " + thread)
                .filter(HotSpot::isKnown);
        String title = "The event loop was busy, without a long turn, for "
                + Amounts.shareOfAwake(row.number("own_ns"), row.number("awake_ns"))
                + (isOfTimers ? ", with timers and immediates" : "")
                + hot.map(known -> ": " + known.asSubject()).orElse("");
        StringBuilder text = new StringBuilder()
                .append(Amounts.count(row.count("turns"), "turn"))
                .append(" took ")
                .append(Amounts.ofNs(row.number("own_ns")))
                .append(" altogether, ")
                .append(Amounts.ofNs(row.number("own_ns") / row.number("turns")))
                .append(" each. Of the busy time ")
                .append(Amounts.share(row.number("timers_ns"), row.number("busy_ns")))
                .append(" is in the phases of timers and immediates, which no request waits for.");
        List<ResultRow> functions = database.rows("""
                SELECT place(k.app) AS function, count(*) AS samples, sum(count(*)) OVER () AS all_samples
                FROM report_sample s JOIN report_stack k USING (capture_id, stack_id)
                WHERE %s GROUP BY 1 ORDER BY samples DESC, 1""".formatted(thread.replace("capture_id", "s.capture_id")));
        List<String> named = functions.stream()
                .filter(function -> !function.text("function").isEmpty())
                .limit(MOST_FUNCTIONS)
                .map(function -> function.text("function") + " "
                        + Amounts.share(function.number("samples"), function.number("all_samples")))
                .toList();
        if (!named.isEmpty()) {
            text.append(" CPU samples by function: ")
                    .append(String.join(", ", named))
                    .append('.');
        }
        hot.map(HotSpot::pathSentence).ifPresent(text::append);
        return WeightedFinding.of(
                NAME,
                isOfTimers && row.number("use") >= Thresholds.BURNT_SHARE,
                row.number("own_ns") / 1e6,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.LOOP, EvidenceLinks.CPU, EvidenceLinks.PROCESS));
    }
}
