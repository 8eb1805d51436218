package dev.probestream.query.result;

/**
 * Spells control and format characters as in C ({@code \\n}, {@code \\x1b}, {@code \\u202e}), because a terminal would interpret them.
 * Other backslashes stay as they are.
 */
public final class VisibleText {
    private VisibleText() {}

    /** The text with its control and format characters spelled. */
    public static String of(String text) {
        if (text.codePoints().allMatch(VisibleText::isVisible)) {
            return text;
        }
        StringBuilder visible = new StringBuilder();
        text.codePoints().forEach(point -> {
            if (isVisible(point)) {
                visible.appendCodePoint(point);
            } else if (point == '\n') {
                visible.append("\\n");
            } else if (point == '\t') {
                visible.append("\\t");
            } else {
                visible.append(String.format(point < 256 ? "\\x%02x" : "\\u%04x", point));
            }
        });
        return visible.toString();
    }

    private static boolean isVisible(int point) {
        int type = Character.getType(point);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.SURROGATE;
    }
}
