package dev.probestream.collector.internal.v8.code;

/** A table of V8 is malformed. Without a stack trace: what is read from another process may be anything. */
final class CodeFormatException extends Exception {
    private static final long serialVersionUID = 1;

    CodeFormatException(String table, int offset, String problem) {
        super(table + " at byte " + offset + ": " + problem, null, false, false);
    }
}
