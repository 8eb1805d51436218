package dev.probestream.collector.probe;

/** A probe spec that cannot be understood; the message shows the text with a caret under the position. */
public final class SpecSyntaxException extends RuntimeException {
    private final String text;
    private final int position;

    /**
     * Creates the exception.
     *
     * @param text the spec as it was given
     * @param position the index of the character that was not expected; the text's length when something is missing
     * @param problem what was expected
     */
    public SpecSyntaxException(String text, int position, String problem) {
        super(message(text, position, problem));
        this.text = text;
        this.position = position;
    }

    /** {@return the spec as it was given} */
    public String text() {
        return text;
    }

    /**
     * {@return the index in {@link #text()} of the character that was not expected; its length when something is
     * missing}
     */
    public int position() {
        return position;
    }

    private static String message(String text, int position, String problem) {
        // One column per character: a tab or a line break in the spec must not move the caret.
        String line = text.replaceAll("\\p{Cntrl}", " ");
        return problem + "\n  " + line + "\n  " + " ".repeat(position) + "^";
    }
}
