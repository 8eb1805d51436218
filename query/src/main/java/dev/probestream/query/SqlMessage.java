package dev.probestream.query;

import java.sql.SQLException;
import java.util.regex.Pattern;

/** What DuckDB says of an error, without what its JDBC driver puts around it, and with what a user of ours can do. */
public final class SqlMessage {
    private static final Pattern DRIVER_NOISE = Pattern.compile(
            "\\AInvalid Input Error: Attempting to execute an unsuccessful or closed pending query result\\s*"
                    + "(?:Error: )?");

    private SqlMessage() {}

    /** The message; it may have several lines, the place in the statement among them. */
    public static String of(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        String said = DRIVER_NOISE.matcher(message).replaceFirst("").strip();
        if (said.startsWith("Out of Memory Error")) {
            return firstParagraph(said) + "\nGive it more by --memory, or ask for less: fewer columns, a shorter time"
                    + " (--from, --to).";
        }
        if (said.contains("INSTALL ")) {
            return firstParagraph(said) + "\nExtensions of DuckDB are not fetched from the network by themselves.";
        }
        return said.isEmpty() ? message : said;
    }

    private static String firstParagraph(String text) {
        int end = text.indexOf("\n\n");
        return end < 0 ? text : text.substring(0, end);
    }
}
