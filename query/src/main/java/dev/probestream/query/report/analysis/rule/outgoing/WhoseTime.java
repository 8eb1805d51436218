package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.ResultRow;

/**
 * Whether the time of what was sent was the peer's, the network's, this process's, or that of waiting for a free connection.
 * Of rows with the columns {@code sent} (how many), {@code total_ns} (peer and network), {@code ours_ns}, {@code waited_ns} and
 * {@code wire_ns} (of one round trip).
 */
final class WhoseTime {
    private WhoseTime() {}

    /** " Of their time 97 % was the database's, ... ." */
    static String of(ResultRow row, String peer) {
        double network = Math.min(row.number("wire_ns") * row.count("sent"), row.number("total_ns"));
        double all = row.number("total_ns") + row.number("ours_ns");
        String text =
                " Of their time " + Amounts.share(row.number("total_ns") - network, all) + " was the " + peer + "'s, "
                        + (row.isNull("wire_ns")
                                ? ""
                                : Amounts.share(network, all) + " the network's (a round trip takes "
                                        + Amounts.ofNs(row.number("wire_ns")) + "), ")
                        + Amounts.share(row.number("ours_ns"), all) + " this process's own.";
        return row.number("waited_ns") <= 0
                ? text
                : text + " Before, they waited for a free connection for " + Amounts.ofNs(row.number("waited_ns"))
                        + " altogether.";
    }
}
