package dev.probestream.query.builtin;

import dev.probestream.query.builtin.BuiltInQuery.Column;
import dev.probestream.query.builtin.BuiltInQuery.Parameter;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the file of a built-in query: comments, then one SELECT.
 *
 * <pre>
 * -- The title.
 * --
 * -- How to read the result, in lines.
 * --
 * -- Columns:
 * --   path  description, which may continue
 * --         on the next line
 * -- Parameters:
 * --   limit=20  description
 * SELECT ...
 * </pre>
 */
final class BuiltInQueryText {
    private static final String COMMENT = "--";
    private static final String ENTRY_INDENT = "  ";

    /** The part of the comments to which a line belongs. */
    private enum Part {
        TITLE,
        DESCRIPTION,
        COLUMNS,
        PARAMETERS
    }

    private final String name;
    private final StringBuilder description = new StringBuilder();
    private final List<String> columns = new ArrayList<>();
    private final List<String> parameters = new ArrayList<>();
    private String title = "";
    private Part part = Part.TITLE;

    private BuiltInQueryText(String name) {
        this.name = name;
    }

    static BuiltInQuery parse(String name, String text) {
        List<String> lines = text.lines().toList();
        BuiltInQueryText query = new BuiltInQueryText(name);
        int head = 0;
        while (head < lines.size() && lines.get(head).startsWith(COMMENT)) {
            query.comment(lines.get(head++).substring(COMMENT.length()));
        }
        String sql = String.join("\n", lines.subList(head, lines.size())).strip();
        return new BuiltInQuery(
                name,
                query.title,
                query.description.toString().strip(),
                query.columns.stream().map(query::column).toList(),
                query.parameters.stream().map(query::parameter).toList(),
                sql.endsWith(";") ? sql.substring(0, sql.length() - 1) : sql);
    }

    private void comment(String line) {
        if (line.strip().equals("Columns:")) {
            part = Part.COLUMNS;
        } else if (line.strip().equals("Parameters:")) {
            part = Part.PARAMETERS;
        } else {
            text(line);
        }
    }

    private void text(String line) {
        switch (part) {
            case TITLE -> {
                title = line.strip();
                part = Part.DESCRIPTION;
            }
            case DESCRIPTION -> description.append(line.strip()).append('\n');
            case COLUMNS -> entry(columns, line);
            case PARAMETERS -> entry(parameters, line);
        }
    }

    /** Entries are indented by three characters behind the dashes; a line that is indented more continues the last entry. */
    private static void entry(List<String> entries, String line) {
        if (line.startsWith(" " + ENTRY_INDENT + " ")) {
            entries.set(entries.size() - 1, entries.get(entries.size() - 1) + " " + line.strip());
        } else if (!line.isBlank()) {
            entries.add(line.strip());
        }
    }

    private Column column(String entry) {
        String[] words = split(entry);
        return new Column(words[0], words[1]);
    }

    private Parameter parameter(String entry) {
        String[] words = split(entry);
        int equals = words[0].indexOf('=');
        if (equals < 0) {
            throw new IllegalStateException("built-in query " + name + ": no default in '" + entry + "'");
        }
        return new Parameter(words[0].substring(0, equals), words[0].substring(equals + 1), words[1]);
    }

    /** The name, which has no space, and its description. */
    private String[] split(String entry) {
        String[] words = entry.split(" +", 2);
        if (words.length < 2) {
            throw new IllegalStateException("built-in query " + name + ": no description in '" + entry + "'");
        }
        return words;
    }
}
