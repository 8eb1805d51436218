package dev.probestream.deploy.manual;

import java.util.Locale;

/** The source of a page in the macros of man(7), restricted to what groff and mandoc both know. */
final class Roff {
    private static final int COLUMNS = 78;

    private final StringBuilder source = new StringBuilder();

    /** The start of a page of section 1. The date, YYYY-MM-DD, is read by mandoc as it stands. */
    Roff title(String name, String date, String program, String manual) {
        source.append(".TH \"")
                .append(escape(name.toUpperCase(Locale.ROOT)))
                .append("\" 1 ")
                .append(date);
        source.append(" \"")
                .append(escape(program))
                .append("\" \"")
                .append(escape(manual))
                .append("\"\n");
        return unjustified();
    }

    /** Names are not hyphenated, and lines not stretched: both would make a name hard to copy and to find. */
    Roff unjustified() {
        source.append(".nh\n.ad l\n");
        return this;
    }

    Roff section(String title) {
        return macro("SH", title);
    }

    /** A macro with arguments; each becomes one argument, whatever it contains. */
    Roff macro(String name, String... arguments) {
        source.append('.').append(name);
        for (String argument : arguments) {
            source.append(" \"").append(escape(argument)).append('"');
        }
        source.append('\n');
        return this;
    }

    /** A line of marked-up text, not wrapped: the tag of a list, or a line of code. */
    Roff line(String markedUp) {
        source.append(guarded(markedUp)).append('\n');
        return this;
    }

    /** Marked-up text to be filled. Its source is wrapped, and each sentence starts a line, as groff recommends. */
    Roff text(String markedUp) {
        return wrapped(markedUp, true);
    }

    /** The same for words that are no sentences. */
    Roff words(String markedUp) {
        return wrapped(markedUp, false);
    }

    private Roff wrapped(String markedUp, boolean hasSentences) {
        StringBuilder line = new StringBuilder();
        for (String word : markedUp.strip().split(" +")) {
            boolean isFull = line.length() + 1 + word.length() > COLUMNS;
            if (!line.isEmpty() && (isFull || (hasSentences && endsSentence(line)))) {
                line(ended(line, hasSentences));
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        return line.isEmpty() ? this : line(ended(line, hasSentences));
    }

    private static boolean endsSentence(StringBuilder line) {
        return line.toString().matches(".*\\w[)'}]*[.?!]");
    }

    /** At the end of a line, a dot would end a sentence, and two blanks would follow it. */
    private static String ended(StringBuilder line, boolean hasSentences) {
        boolean isMistaken = line.toString().matches(".*[.?!][)\\]]*") && !(hasSentences && endsSentence(line));
        return isMistaken ? line + "\\&" : line.toString();
    }

    /** A line that starts with a control character would be a request. */
    private static String guarded(String line) {
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    /** Bold, for what is typed as it stands. */
    static String bold(String text) {
        return "\\fB" + escape(text) + "\\fR";
    }

    /** Italic, for what stands for something else. */
    static String italic(String text) {
        return "\\fI" + escape(text) + "\\fR";
    }

    /**
     * Text as it shall appear, character by character (groff_char(7)). Every '-' becomes a minus: most of them are part of
     * options and names, which a reader copies; a typographic hyphen would not work there.
     */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(character -> {
            switch (character) {
                case '\\' -> escaped.append("\\e");
                case '-' -> escaped.append("\\-");
                case '"' -> escaped.append("\\(dq");
                case '\'' -> escaped.append("\\(aq");
                case '`' -> escaped.append("\\(ga");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                default -> {
                    if (character < 0x7F) {
                        escaped.append((char) character);
                    } else {
                        escaped.append(String.format("\\[u%04X]", character));
                    }
                }
            }
        });
        return escaped.toString();
    }

    @Override
    public String toString() {
        return source.toString();
    }
}
