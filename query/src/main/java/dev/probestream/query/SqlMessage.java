package dev.probestream.query;

import dev.probestream.query.result.VisibleText;
import java.sql.SQLException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** DuckDB's message of an error without the text of its JDBC driver, and with the options of Probestream that help. */
public final class SqlMessage {
    private static final Pattern DRIVER_NOISE = Pattern.compile(
            "\\AInvalid Input Error: Attempting to execute an unsuccessful or closed pending query result\\s*"
                    + "(?:Error: )?");

    private SqlMessage() {}

    /** The message; it may have several lines, which include the position in the statement. */
    public static String of(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        String text = DRIVER_NOISE.matcher(message).replaceFirst("").strip();
        if (text.startsWith("Out of Memory Error")) {
            return visible(firstParagraph(text))
                    + "\nRaise the limit with --memory, or query less: fewer columns, a shorter time range"
                    + " (--from, --to).";
        }
        if (text.contains("INSTALL ")) {
            return visible(firstParagraph(text)) + "\nProbestream does not download extensions of DuckDB.";
        }
        return visible(text.isEmpty() ? message : text);
    }

    /** Messages quote recorded texts, whose control characters a terminal would interpret. */
    private static String visible(String text) {
        return text.lines().map(VisibleText::of).collect(Collectors.joining("\n"));
    }

    private static String firstParagraph(String text) {
        int end = text.indexOf("\n\n");
        return end < 0 ? text : text.substring(0, end);
    }
}
