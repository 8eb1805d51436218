package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.report.analysis.fact.ResultRow;

/** Words about statements and where they go, of rows with the columns {@code statement}, {@code database} and {@code peer}. */
final class Statements {
    private static final int LONGEST = 160;

    private Statements() {}

    /** In one line, and cut if it is long. */
    static String quoted(ResultRow row) {
        String line = row.text("statement").strip().replaceAll("\\s+", " ");
        return "\"" + (line.length() > LONGEST ? line.substring(0, LONGEST) + " …" : line) + "\"";
    }

    /** "PostgreSQL db.internal (10.0.0.5:5432)". */
    static String database(ResultRow row) {
        return (row.text("database") + " " + row.text("peer")).strip();
    }
}
