package dev.probestream.query;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Names and texts as SQL wants them. */
final class Sql {
    private Sql() {}

    /** {@code 'it''s'}. */
    static String text(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** {@code "odd name"}: any text as the name of a column or relation. */
    static String name(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** A list of file names for {@code read_parquet}, which otherwise takes {@code *}, {@code ?} and {@code [} as patterns. */
    static String files(List<Path> files) {
        return files.stream().map(file -> text(literal(file.toString()))).collect(Collectors.joining(", ", "[", "]"));
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
