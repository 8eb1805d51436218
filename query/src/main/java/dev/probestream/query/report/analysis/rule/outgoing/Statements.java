package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.Map;

/** Words about statements and where they go, of rows with the columns {@code statement}, {@code protocol} and {@code peer}. */
final class Statements {
    private static final int LONGEST = 160;
    private static final Map<String, String> DATABASES =
            Map.of("postgresql", "PostgreSQL", "mysql", "MySQL", "redis", "Redis");

    private Statements() {}

    /** In one line, and cut if it is long. */
    static String quoted(ResultRow row) {
        String line = row.text("statement").strip().replaceAll("\\s+", " ");
        return "\"" + (line.length() > LONGEST ? line.substring(0, LONGEST) + " …" : line) + "\"";
    }

    /** "PostgreSQL db.internal (10.0.0.5:5432)". */
    static String database(ResultRow row) {
        String protocol = row.text("protocol");
        return (DATABASES.getOrDefault(protocol, protocol) + " " + row.text("peer")).strip();
    }
}
