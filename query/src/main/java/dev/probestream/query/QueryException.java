package dev.probestream.query;

/** A query failed: the message has what was tried, on what, what was wrong, and what to do. */
public final class QueryException extends Exception {
    private static final long serialVersionUID = 1;

    public QueryException(String message) {
        super(message);
    }

    public QueryException(String message, Throwable cause) {
        super(message, cause);
    }
}
