package dev.probestream.query.report.analysis.rule.machine;

import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.ResultRow;

/** Words about rows of report_pressure. */
final class PressureSentence {
    private PressureSentence() {}

    /** "For 41 % of the time tasks of its control group waited for a CPU, for 12 % all of them at once (PSI)." */
    static String sentence(ResultRow row, String forWhat) {
        return "For " + Amounts.share(row.number("some"), 1) + " of the time tasks of "
                + (row.bool("of_group") ? "its control group" : "the machine") + " waited " + forWhat
                + (row.number("full") > 0
                        ? ", for " + Amounts.share(row.number("full"), 1) + " all of them at once"
                        : "")
                + " (PSI).";
    }
}
