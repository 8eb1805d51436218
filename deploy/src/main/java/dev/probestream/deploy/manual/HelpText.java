package dev.probestream.deploy.manual;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text of a command's help, taken apart as its lines are laid out: empty lines separate chunks, indented lines are rows of a
 * list or code, and all others are paragraphs, whose line breaks have no meaning.
 */
final class HelpText {
    /** What a chunk consists of. */
    enum Kind {
        PARAGRAPH,
        ROWS,
        CODE
    }

    /**
     * A part of a chunk.
     *
     * @param lines one text of a paragraph, or the lines of code without their common indentation; empty for rows
     * @param rows empty unless it is a list
     */
    record Block(Kind kind, List<String> lines, List<Row> rows) {}

    /** An item of a list: what is typed or printed, and what it means. */
    record Row(String tag, String text) {}

    private static final String INDENTATION = "  ";
    private static final Pattern ROW = Pattern.compile(" {2}(\\S(?:.*?\\S)?) {2,}(\\S.*)");
    private static final Pattern UNINDENTED_ROW = Pattern.compile("(\\S(?:.*?\\S)?) {3,}(\\S.*)");
    private static final Pattern CONTINUATION = Pattern.compile(" {8,}(\\S.*)");

    private HelpText() {}

    /** The lines of a help text as picocli prints them: format specifiers are replaced. */
    static List<String> lines(String... elements) {
        List<String> lines = new ArrayList<>();
        for (String element : elements) {
            lines.addAll(List.of(String.format(element).split("\n", -1)));
        }
        return lines;
    }

    /** The chunks between empty lines. */
    static List<List<String>> chunks(List<String> lines) {
        List<List<String>> chunks = new ArrayList<>();
        List<String> chunk = new ArrayList<>();
        for (String line : lines) {
            if (!line.isBlank()) {
                chunk.add(line);
            } else if (!chunk.isEmpty()) {
                chunks.add(chunk);
                chunk = new ArrayList<>();
            }
        }
        if (!chunk.isEmpty()) {
            chunks.add(chunk);
        }
        return chunks;
    }

    /** The blocks of a chunk. */
    static List<Block> blocks(List<String> chunk) {
        List<Block> blocks = new ArrayList<>();
        int start = 0;
        for (int end = 1; end <= chunk.size(); end++) {
            if (end == chunk.size() || isIndented(chunk, end) != isIndented(chunk, start)) {
                blocks.add(block(chunk.subList(start, end), isIndented(chunk, start)));
                start = end;
            }
        }
        return blocks;
    }

    private static boolean isIndented(List<String> chunk, int index) {
        return chunk.get(index).startsWith(INDENTATION);
    }

    private static Block block(List<String> lines, boolean isIndented) {
        if (!isIndented) {
            return new Block(Kind.PARAGRAPH, List.of(String.join(" ", lines)), List.of());
        }
        List<Row> rows = rows(lines);
        return rows.isEmpty() ? code(lines) : new Block(Kind.ROWS, List.of(), rows);
    }

    /** Indented lines as they stand. */
    static Block code(List<String> lines) {
        List<String> code =
                lines.stream().map(line -> line.substring(INDENTATION.length())).toList();
        return new Block(Kind.CODE, code, List.of());
    }

    /** Empty if not every line is part of a row. */
    private static List<Row> rows(List<String> lines) {
        List<Row> rows = new ArrayList<>();
        for (String line : lines) {
            Matcher continuation = CONTINUATION.matcher(line);
            Matcher row = ROW.matcher(line);
            if (continuation.matches() && !rows.isEmpty()) {
                Row last = rows.remove(rows.size() - 1);
                rows.add(new Row(last.tag(), last.text() + " " + continuation.group(1)));
            } else if (row.matches()) {
                rows.add(new Row(row.group(1), row.group(2)));
            } else {
                return List.of();
            }
        }
        return rows;
    }

    /** The description of an option: paragraphs, and rows such as {@code .avro   the recording}. */
    static List<Block> description(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (String line : lines) {
            Matcher row = UNINDENTED_ROW.matcher(line);
            if (row.matches()) {
                rows.add(new Row(row.group(1), row.group(2)));
                continue;
            }
            if (!rows.isEmpty()) {
                blocks.add(new Block(Kind.ROWS, List.of(), List.copyOf(rows)));
                rows.clear();
            }
            blocks.add(new Block(Kind.PARAGRAPH, List.of(line), List.of()));
        }
        if (!rows.isEmpty()) {
            blocks.add(new Block(Kind.ROWS, List.of(), List.copyOf(rows)));
        }
        return blocks;
    }

    /** The first sentence or clause, without examples and its full stop: for lists that have one line per item. */
    static String summary(String text) {
        return text.split("[.:;]( |$)|, such as |, including | \\(see below\\)", 2)[0].strip();
    }
}
