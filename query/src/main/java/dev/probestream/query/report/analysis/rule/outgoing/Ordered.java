package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.ResultRow;

/** Words about who sent something out, of rows with the columns {@code caller}, {@code parents} (how many requests) and {@code parent}. */
final class Ordered {
    private Ordered() {}

    /** ", from fetchPrice (lib/feed.js:12)"; "" if the function is unknown. */
    static String from(ResultRow row) {
        return row.text("caller").isEmpty() ? "" : ", from " + row.text("caller");
    }

    /** " 12 requests waited for them, most often GET /orders."; "" if none is known to have ordered them. */
    static String byRequests(ResultRow row, String what) {
        if (row.count("parents") == 0) {
            return "";
        }
        String parent = row.text("parent");
        return " " + Amounts.count(row.count("parents"), "request") + " " + what
                + (parent.isEmpty() ? "" : ", most often " + parent) + ".";
    }
}
