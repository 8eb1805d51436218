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
import java.util.Set;

/** The resolver was slow or did not respond: for which host. */
public final class SlowDnsRule implements Rule {
    static final String NAME = "slow-dns";

    /**
     * SQL for rows of report_lookup: no server answered. c-ares gives up after its tries; getaddrinfo does so with "temporary failure" (EAI_AGAIN),
     * which is also what a server's SERVFAIL becomes, at once.
     */
    public static final String WITHOUT_ANSWER =
            "(failure = 'timeout' OR (is_unanswered AND took_ns >= %1$d) OR (failure = 'temporary failure' AND resolver_ns >= %1$d))"
                    .formatted(Thresholds.SILENT_LOOKUP_NS);

    /** SQL for groups of such rows: that is the cause, and not that the server is slow. */
    public static final String IS_SILENT = "(count(*) FILTER (%s) >= %d AND count(*) FILTER (%1$s) >= %s * count(*))"
            .formatted(WITHOUT_ANSWER, Thresholds.SLOW_LOOKUPS, Thresholds.SILENT_LOOKUPS_SHARE);

    @Override
    public String remedy() {
        return "Check the resolver of the host (/etc/resolv.conf); keep connections (keepAlive) or cache"
                + " addresses so that fewer lookups are necessary.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, host, how, count(*) AS lookups,
                    count(*) FILTER (coalesce(resolver_ns, 0) >= %1$d) AS slow,
                    avg(resolver_ns) AS mean_ns, max(resolver_ns) AS longest_ns, sum(resolver_ns) AS total_ns,
                    count(*) FILTER (is_unanswered) AS unanswered, count(*) FILTER (%4$s) AS without_answer, count(failure) AS failed, any_value(failure) AS failure
                FROM report_lookup GROUP BY ALL
                HAVING slow >= %2$d AND slow >= %3$s * count(*) ORDER BY total_ns DESC LIMIT 3""".formatted(
                Thresholds.SLOW_LOOKUP_NS, Thresholds.SLOW_LOOKUPS, Thresholds.SLOW_LOOKUP_SHARE, WITHOUT_ANSWER))) {
            WeightedFinding finding = finding(database, row).ofProcess(row);
            found.add(
                    occupiesPool(database, row)
                            ? finding.explaining(
                                    Set.of(PoolStarvedRule.NAME), "slow lookups", "they occupied the pool's threads")
                            : finding);
        }
        return found;
    }

    /** Whether lookups had the threads of the pool for most of the time in which these were busy. */
    private static boolean occupiesPool(RecordingDatabase database, ResultRow row) throws QueryException {
        return row.text("how").equals("getaddrinfo")
                && database.row(
                                "SELECT coalesce(2 * sum(run_ns) FILTER (what = 'DNS lookup') > sum(run_ns), false) AS is_most"
                                        + " FROM report_work WHERE " + row.sameProcess())
                        .bool("is_most");
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Optional<HotSpot> caller = HotSpot.of(database, """
                SELECT c.capture_id, c.stack_id, l.took_ns AS weight
                FROM (FROM report_lookup WHERE %s AND host = ?) l
                ASOF JOIN (FROM report_caller WHERE starts_with(probe, 'caller of DNS')) c
                    ON l.capture_id = c.capture_id AND l.pid = c.pid AND l.tid = c.tid AND l.start_ns + 50000 >= c.at_ns""".formatted(row.sameProcess()), row.text("host"));
        boolean isSilent = row.count("without_answer") >= Thresholds.SLOW_LOOKUPS
                && row.count("without_answer") >= Thresholds.SILENT_LOOKUPS_SHARE * row.count("lookups");
        String title = (isSilent
                        ? "The DNS server does not answer: " + row.count("without_answer") + " of "
                                + Amounts.count(row.count("lookups"), "lookup") + " of " + row.text("host")
                                + " had no answer, after " + Amounts.ofNs(row.number("mean_ns")) + " on average"
                        : "Looking up " + row.text("host") + " took " + Amounts.ofNs(row.number("mean_ns"))
                                + " on average")
                + caller.map(HotSpot::fromClause).orElse("");
        StringBuilder text = new StringBuilder();
        text.append(row.count("slow"))
                .append(" of ")
                .append(Amounts.count(row.count("lookups"), "lookup"))
                .append(" by ")
                .append(row.text("how"))
                .append(" took longer than ")
                .append(Amounts.ofNs(Thresholds.SLOW_LOOKUP_NS))
                .append(", the longest ")
                .append(Amounts.ofNs(row.number("longest_ns")))
                .append(" (the resolver's own time, without waiting for a thread).");
        if (row.count("unanswered") > 0) {
            text.append(' ').append(row.count("unanswered")).append(" had no response when the recording ended.");
        }
        if (row.count("failed") > 0) {
            text.append(' ')
                    .append(row.count("failed"))
                    .append(" failed (")
                    .append(row.text("failure"))
                    .append(").");
        }
        if (isSilent) {
            text.append(servers(database, row));
        }
        if (row.text("how").equals("getaddrinfo")) {
            text.append(" Each occupies a thread of the pool meanwhile.");
        }
        return WeightedFinding.of(
                NAME,
                row.number("mean_ns") >= Thresholds.SLOW_LOOKUP_HIGH_NS,
                row.number("total_ns") / 1e6,
                title + ".",
                text.toString(),
                List.of(EvidenceLinks.DNS));
    }

    /** getaddrinfo asks those of the system; c-ares asks others if the application has set them. */
    private static String servers(RecordingDatabase database, ResultRow row) throws QueryException {
        String addresses = database.row(
                        "SELECT any_value(addresses) AS addresses FROM report_name_server WHERE " + row.sameProcess())
                .text("addresses");
        boolean isSystems = row.text("how").equals("getaddrinfo");
        boolean isOne = isSystems && !addresses.isEmpty() && !addresses.contains(",");
        String which = addresses.isEmpty()
                ? "those of " + (isSystems ? "" : "dns.setServers() or ") + "/etc/resolv.conf"
                : isSystems
                        ? addresses + " (/etc/resolv.conf)"
                        : "those of dns.setServers(), or else of /etc/resolv.conf (" + addresses + ")";
        return (isOne ? " The server is " : " The servers are ") + which + ": check that "
                + (isOne ? "it runs" : "they run") + " and can be reached.";
    }
}
