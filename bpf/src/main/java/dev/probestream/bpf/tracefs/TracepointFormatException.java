package dev.probestream.bpf.tracefs;

/** A malformed format file of a tracepoint. */
public final class TracepointFormatException extends RuntimeException {
    private final int lineNumber;

    TracepointFormatException(String file, int lineNumber, String problem) {
        super("read " + file + ", line " + lineNumber + ": " + problem);
        this.lineNumber = lineNumber;
    }

    /** {@return the line, counted from 1} */
    public int lineNumber() {
        return lineNumber;
    }
}
