package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** DNS lookups by host. */
public final class DnsChapter implements Chapter {
    static final String ID = "dns";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_lookup")) {
            return Optional.empty();
        }
        List<ResultRow> rows = database.rows("""
                SELECT host, how, count(*) AS lookups, quantile_cont(took_ns, 0.5) / 1e6 AS p50, max(took_ns) / 1e6 AS longest,
                    max(resolver_ns) / 1e6 AS resolver, count(*) FILTER (is_unanswered) AS unanswered,
                    count(failure) AS failed, any_value(failure) AS failure
                FROM report_lookup GROUP BY host, how ORDER BY sum(took_ns) DESC, host, how LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "Names looked up",
                "The call getaddrinfo works on the thread pool and may wait for it; c-ares asks name servers from the loop.",
                List.of(Tables.of(
                        "Hosts",
                        rows,
                        List.of(
                                From.text("host", "host"),
                                From.text("how", "by"),
                                From.count("lookups", "lookups"),
                                From.ms("p50", "p50"),
                                From.ms("longest", "longest"),
                                From.ms("resolver", "longest of the resolver alone"),
                                From.count("unanswered", "unanswered"),
                                From.count("failed", "failed"),
                                From.text("failure", "why"))))));
    }
}
