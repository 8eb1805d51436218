package dev.probestream.collector.internal.protocol;

/** A statement that was sent, and what is known of its answer so far. */
public final class Statement {
    /** {@link #rows} of a statement of which it is not known. */
    public static final long UNKNOWN_ROWS = -1;

    private final Moment written;
    private final String operation;
    private final String text;
    private long sentBytes;
    private long receivedBytes;
    private long rows = UNKNOWN_ROWS;
    private String reply = "";
    private String errorCode = "";

    /**
     * A statement without an answer.
     *
     * @param written when its first byte was written
     * @param operation what it does to what: {@code SELECT users}
     * @param text masked; "" if it is not known
     */
    public Statement(Moment written, String operation, String text) {
        this.written = written;
        this.operation = operation;
        this.text = text;
        written.batch().add();
    }

    public Moment written() {
        return written;
    }

    public String operation() {
        return operation;
    }

    public String text() {
        return text;
    }

    public long sentBytes() {
        return sentBytes;
    }

    public long receivedBytes() {
        return receivedBytes;
    }

    public long rows() {
        return rows;
    }

    /** The tag of the answer, or its type. */
    public String reply() {
        return reply;
    }

    public String errorCode() {
        return errorCode;
    }

    public void addSent(long bytes) {
        sentBytes += bytes;
    }

    public void addReceived(long bytes) {
        receivedBytes += bytes;
    }

    /** Adds the rows of a result; unknown ones make the sum unknown. */
    public void addRows(long count) {
        rows = rows == UNKNOWN_ROWS ? count : rows + count;
    }

    public void forgetRows() {
        rows = UNKNOWN_ROWS;
    }

    public void replied(String tag) {
        reply = tag;
    }

    public void failed(String code) {
        errorCode = code;
    }
}
