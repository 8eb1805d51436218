package dev.probestream.convert.request;

/**
 * Where an answer ends, by the length in its head: what a server writes behind it is not part of the answer, and an
 * answer whose connection is closed before it is cut. Of a client's, what is read counts. One in chunks ends with an empty chunk.
 *
 * <p>Over TLS the written bytes are those of records. They are at most as many of the answer's as they would be if all records were as
 * long as they can be, and as short beyond that (RFC 8446, 5.2; RFC 5246, 6.2.3): an answer in many short records that is cut near its end is
 * taken for whole. Its end is its last write, but for one of two bytes before the close: this is the alert with which a session ends
 * (close_notify), as long as an alert is in the ciphers of TLS 1.3, and in GCM and ChaCha20 of 1.2.
 */
final class AnswerEnd {
    private static final long UNKNOWN = -1;
    private static final int MAX_RECORD_BYTES = 16_384 + 256 + 5;
    private static final int LEAST_BYTES_AROUND_RECORD = 5 + 16;

    /** Of two bytes: with an explicit nonce of 8 (AES-GCM in TLS 1.2), with the type behind them (TLS 1.3), with neither (ChaCha20 in 1.2). */
    private static boolean isAlert(long bytes) {
        return bytes == LEAST_BYTES_AROUND_RECORD + 2 + 8
                || bytes == LEAST_BYTES_AROUND_RECORD + 2 + 1
                || bytes == LEAST_BYTES_AROUND_RECORD + 2;
    }

    private final boolean isTls;
    private long expectedBytes = UNKNOWN;
    private boolean isInChunks;
    private boolean hasLastChunk;
    private long writtenBytes;
    private long heldBytes;
    private long heldEndNs;

    AnswerEnd(boolean isTls) {
        this.isTls = isTls;
    }

    /**
     * The answer begins.
     *
     * @param bytes how long it is; -1 = unknown
     * @param isChunked whether its last chunk shows its end
     */
    void begin(long bytes, boolean isChunked) {
        expectedBytes = bytes;
        isInChunks = isChunked && bytes < 0;
        writtenBytes = 0;
    }

    /** A write with the last chunk, or with so many pieces that it may be among them. */
    void wroteLastChunk() {
        hasLastChunk = true;
    }

    void wrote(long bytes) {
        writtenBytes += bytes;
    }

    /** What is written from now on is not the answer's. */
    boolean isPast() {
        return !isTls && expectedBytes >= 0 && writtenBytes >= expectedBytes;
    }

    /** If the connection is closed now, the answer is not whole. */
    boolean isMissing() {
        return (isInChunks && !hasLastChunk) || (expectedBytes >= 0 && answerBytes() < expectedBytes);
    }

    /** Whether all of it is known to be written. */
    boolean isWhole() {
        return (expectedBytes >= 0 || isInChunks) && !isMissing();
    }

    private long answerBytes() {
        long records = isTls ? (writtenBytes + MAX_RECORD_BYTES - 1) / MAX_RECORD_BYTES : 0;
        return writtenBytes - records * LEAST_BYTES_AROUND_RECORD;
    }

    /** Whether this write may be the session's last, which the next write, or the close, will show. */
    boolean holds(long bytes, long endNs) {
        if (!isTls || !isAlert(bytes)) {
            return false;
        }
        heldBytes = bytes;
        heldEndNs = endNs;
        return true;
    }

    /** How many bytes were held, which are the answer's after all; 0 = none. They end at {@link #heldEndNs}. */
    long release() {
        long released = heldBytes;
        heldBytes = 0;
        return released;
    }

    long heldEndNs() {
        return heldEndNs;
    }
}
