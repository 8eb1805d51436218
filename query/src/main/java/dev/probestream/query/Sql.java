package dev.probestream.query;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Quotes names and texts for SQL. Values are parameters of a {@code PreparedStatement} wherever DuckDB accepts them; the
 * definition of a view may have none, so texts and file names in views are quoted here.
 */
final class Sql {
    private Sql() {}

    /** A text inside the definition of a view: {@code 'it''s'}. */
    static String text(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** {@code "odd name"}: any text as the name of a column or relation. */
    static String name(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A list of files for {@code read_parquet} inside a view; escapes {@code *}, {@code ?} and {@code [}, which are patterns. */
    static String files(List<Path> files) {
        return files.stream().map(file -> text(pattern(file))).collect(Collectors.joining(", ", "[", "]"));
    }

    /** The pattern that only this file matches. */
    static String pattern(Path file) {
        return literal(file.toString());
    }

    private static String literal(String fileName) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < fileName.length(); i++) {
            char character = fileName.charAt(i);
            boolean isPattern = character == '*' || character == '?' || character == '[';
            escaped.append(isPattern ? "[" + character + "]" : String.valueOf(character));
        }
        return escaped.toString();
    }
}
