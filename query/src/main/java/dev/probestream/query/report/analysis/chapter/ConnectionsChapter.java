package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Tables.From;
import dev.probestream.query.report.analysis.chapter.TimeAxis.LineOf;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.List;
import java.util.Optional;

/** Connections by address, and how many were open. */
public final class ConnectionsChapter implements Chapter {
    static final String ID = "connections";

    @Override
    public Optional<Section> section(RecordingDatabase database, TimeAxis axis) throws QueryException {
        if (!database.has("report_connection")) {
            return Optional.empty();
        }
        List<ResultRow> open = database.rows("""
                WITH change AS (
                    SELECT capture_id, open_ns AS at_ns, direction, 1 AS more FROM report_connection
                    UNION ALL
                    SELECT capture_id, close_ns, direction, -1 FROM report_connection WHERE close_ns IS NOT NULL),
                running AS (
                    SELECT %s AS step, at_ns,
                        sum(CASE WHEN direction = 'incoming' THEN more ELSE 0 END) OVER moment AS incoming,
                        sum(CASE WHEN direction = 'outgoing' THEN more ELSE 0 END) OVER moment AS outgoing
                    FROM change JOIN report_capture c USING (capture_id)
                    WINDOW moment AS (ORDER BY at_ns + c.unix_minus_mono_ns))
                SELECT step, arg_max(incoming, at_ns) AS incoming, arg_max(outgoing, at_ns) AS outgoing
                FROM running GROUP BY 1 ORDER BY 1""".formatted(axis.stepOf("at_ns + c.unix_minus_mono_ns")));
        List<ResultRow> remotes = database.rows("""
                SELECT direction, CASE WHEN direction = 'incoming' THEN '(clients)' ELSE coalesce(remote, '(unknown)') END AS remote,
                    count(*) AS opened, count(*) FILTER (close_ns IS NULL) AS open,
                    count(*) FILTER (is_failure(connect_result)) AS failed,
                    quantile_cont(connected_ns - open_ns, 0.5) / 1e6 AS connecting,
                    max(connected_ns - open_ns) / 1e6 AS longest
                FROM report_connection GROUP BY 1, 2 ORDER BY opened DESC, remote LIMIT %d""".formatted(Tables.MOST_ROWS));
        return Optional.of(new Section(
                ID,
                "Connections",
                "Opened during the recording; those that were open before are not counted.",
                List.of(
                        axis.series(
                                "Open at a time",
                                "connections",
                                open,
                                List.of(LineOf.values("incoming", "accepted"), LineOf.values("outgoing", "made"))),
                        Tables.of(
                                "By address",
                                remotes,
                                List.of(
                                        From.text("remote", "address"),
                                        From.text("direction", "direction"),
                                        From.count("opened", "opened"),
                                        From.count("open", "still open"),
                                        From.count("failed", "failed"),
                                        From.ms("connecting", "connecting (p50)"),
                                        From.ms("longest", "longest"))))));
    }
}
