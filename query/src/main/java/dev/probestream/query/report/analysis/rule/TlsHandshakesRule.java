package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import dev.probestream.query.report.analysis.fact.Thresholds;
import java.util.ArrayList;
import java.util.List;

/** An event loop spends much of its CPU time on TLS handshakes: connections are not kept, or sessions not resumed. */
public final class TlsHandshakesRule implements Rule {
    static final String NAME = "tls-handshakes";

    @Override
    public String remedy() {
        return "Keep connections (keepAlive), let clients resume sessions, and use an ECDSA certificate.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        // Samples in handshakes are the evidence that there are any; those in the arithmetic of keys alone are not.
        for (ResultRow row : database.rows("""
                WITH connected AS (
                    SELECT capture_id, pid, count(*) FILTER (direction = 'incoming') AS accepted,
                        count(*) FILTER (direction = 'outgoing') AS opened
                    FROM report_connection GROUP BY ALL),
                served AS (
                    SELECT capture_id, pid, count(*) AS requests FROM requests WHERE side = 'SERVER' AND is_tls GROUP BY ALL)
                SELECT h.*, l.own_ns, l.awake_ns, c.accepted, c.opened, coalesce(s.requests, 0) AS requests,
                    handshakes + CASE WHEN has_other_use THEN 0 ELSE keys END AS of_tls,
                    l.own_ns * of_tls / h.samples AS tls_ns
                FROM report_handshake h
                JOIN report_loop_thread l USING (capture_id, pid, tid)
                JOIN connected c USING (capture_id, pid)
                LEFT JOIN served s USING (capture_id, pid)
                WHERE handshakes >= %1$d AND of_tls >= %2$d AND tls_ns >= %3$s * l.own_ns AND tls_ns >= %4$s * l.awake_ns
                    AND greatest(c.accepted, c.opened) >= %5$d
                ORDER BY tls_ns DESC""".formatted(
                        Thresholds.HANDSHAKE_FRAMED_SAMPLES,
                        Thresholds.HANDSHAKE_SAMPLES,
                        Thresholds.HANDSHAKE_CPU_SHARE,
                        Thresholds.HANDSHAKE_SHARE,
                        Thresholds.HANDSHAKE_CONNECTIONS))) {
            found.add(finding(row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(ResultRow row) {
        boolean isServer = row.count("accepted") >= row.count("opened");
        String connections = isServer
                ? Amounts.count(row.count("accepted"), "connection")
                        + (row.count("accepted") == 1 ? " was accepted" : " were accepted")
                        + (row.count("requests") == 0 ? "" : " for " + Amounts.count(row.count("requests"), "request"))
                : Amounts.count(row.count("opened"), "connection") + " were opened to others";
        boolean isRsa = row.count("rsa") >= Thresholds.HANDSHAKE_RSA_PART * row.number("of_tls");
        String text = row.count("of_tls") + " of " + Amounts.count(row.count("samples"), "CPU sample")
                + " of the loop are in handshakes"
                + (row.count("keys") > 0 && !row.bool("has_other_use")
                        ? " or in OpenSSL's arithmetic for their keys, whose callers a stack does not show"
                        : "")
                + ", about " + Amounts.ofNs(row.number("tls_ns")) + " of CPU time"
                + (row.count("rsa") > 0 ? ", " + row.count("rsa") + " of them in RSA" : "") + ". "
                + (isServer
                        ? "Clients that keep their connections (keep-alive) need one handshake for many requests, and those that"
                                + " resume a session need none of the keys; several processes must share the ticket keys for that."
                        : "An agent with keepAlive uses a connection for many requests, and one agent for all requests resumes"
                                + " sessions.")
                + (isServer && isRsa
                        ? " A server signs with an ECDSA certificate at a fraction of the time that RSA takes."
                        : "");
        return WeightedFinding.of(
                NAME,
                row.number("tls_ns") >= Thresholds.HANDSHAKE_SHARE_HIGH * row.number("awake_ns"),
                row.number("tls_ns") / 1e6,
                "TLS handshakes took " + Amounts.share(row.number("tls_ns"), row.number("own_ns"))
                        + " of the event loop's CPU time: " + connections + ".",
                text,
                List.of(EvidenceLinks.CPU, EvidenceLinks.CONNECTIONS));
    }
}
