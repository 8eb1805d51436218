package dev.probestream.collector.probe;

/** A line in the syntax of bcc or bpftrace is malformed or cannot be translated. The message shows the line with a caret under the position. */
public final class LineSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int position;

    /**
     * Creates the exception.
     *
     * @param line as the user typed it
     * @param position the index of the unexpected character; the line's length if something is missing
     * @param problem what was expected, or why it cannot be translated
     */
    public LineSyntaxException(String line, int position, String problem) {
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
