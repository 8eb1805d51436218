package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportContents.Advice;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import java.util.ArrayList;
import java.util.List;

/** Advice on probe sets that were not recorded and would help. */
public final class MissingSetAdvice {
    /** The last sentence of a finding about times in which a thread may have had no CPU. */
    static final String BUSY_MACHINE =
            " Whether it had a CPU meanwhile was not recorded: a busy machine may be the cause, too.";

    private MissingSetAdvice() {}

    public static List<Advice> of(RecordingDatabase database) throws QueryException {
        List<Advice> advice = new ArrayList<>();
        boolean isNode = database.has("probes WHERE category LIKE 'node-%'");
        if (!database.has("probes WHERE category = 'profile'")) {
            advice.add(new Advice(
                    "No CPU samples: which functions were busy is unknown.", "record --probes incident (or profile)"));
        }
        if (!database.has("probes WHERE category IN ('sched', 'offcpu')")) {
            advice.add(new Advice(
                    "No context switches: whether threads had a CPU, and what they waited for, is unknown.",
                    "record --probes incident (or offcpu)"));
        }
        if (!isNode) {
            return advice;
        }
        if (!database.has("probes WHERE category = 'node-callers'")) {
            advice.add(new Advice(
                    "No stacks of callers: which code called for files, lookups, connections and work is unknown.",
                    "record --probes incident (or node-callers)"));
        }
        if (!database.has("probes WHERE category IN ('node-loop', 'node-turns')")) {
            advice.add(new Advice("No turns of the event loop.", "record --probes incident (or node-loop)"));
        }
        if (!database.has("probes WHERE category IN ('node-http', 'node-requests')")) {
            advice.add(new Advice("No requests.", "record --probes incident (or node-http)"));
        }
        if (!database.has("probes WHERE category = 'node-crash'")) {
            advice.add(new Advice(
                    "No crashes: of a process that ended only its exit code or signal is known.",
                    "record --probes incident (or node-crash)"));
        }
        boolean hasStacks = database.has("stacks");
        if (hasStacks && !database.has("stacks WHERE kind = 'JS' AND file IS NOT NULL")) {
            advice.add(new Advice(
                    "No names of JavaScript functions: stacks show native functions only.",
                    "doctor -p PID (prints the reason)"));
        }
        return advice;
    }
}
