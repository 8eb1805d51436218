package dev.probestream.collector.dialect;

/** A line is malformed or cannot be translated. The message shows the line with a caret under the position. */
public final class LineSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int position;

    LineSyntaxException(String line, int position, String problem) {
        super(message(line, position, problem));
        this.position = position;
    }

    /** {@return the index of the unexpected character in the line; the line's length if something is missing} */
    public int position() {
        return position;
    }

    private static String message(String line, int position, String problem) {
        // One column per character: a tab or a line break must not move the caret.
        return problem + "\n  " + line.replaceAll("\\p{Cntrl}", " ") + "\n  " + " ".repeat(position) + "^";
    }
}
