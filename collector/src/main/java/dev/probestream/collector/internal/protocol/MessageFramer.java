package dev.probestream.collector.internal.protocol;

/**
 * Cuts bytes into messages, each a header that gives the length, and a body. Of a long body only the first bytes are
 * kept, and bytes of a body may be missing.
 */
public final class MessageFramer {
    /** What is kept of a body: the name of a prepared statement and a statement. */
    public static final int KEPT_BYTES = 1024;

    private static final int MAX_HEADER_BYTES = 8;

    /** How a protocol's messages begin. */
    public interface Header {
        int sizeBytes();

        /**
         * The length of the body behind this header.
         *
         * @throws ProtocolException if there is no such header
         */
        long bodyBytes(byte[] header) throws ProtocolException;
    }

    /** Takes a message when it is complete. */
    public interface Receiver {
        /** The message is in the framer until the call returns. */
        void message(MessageFramer message, Moment end) throws ProtocolException;
    }

    private final Receiver receiver;
    private Header form;
    private final byte[] header = new byte[MAX_HEADER_BYTES];
    private final byte[] body = new byte[KEPT_BYTES];
    private int headerBytes;
    private int keptBytes;
    private long bodyBytes;
    private long remainingBytes;
    /** Whether bytes are missing before the last of those that would have been kept. */
    private boolean hasHole;

    private Moment begin = Moment.UNKNOWN;

    public MessageFramer(Header form, Receiver receiver) {
        this.form = form;
        this.receiver = receiver;
    }

    /** From the next message on, headers are of this form. */
    public void expect(Header next) {
        form = next;
    }

    /** Forgets the message that has begun. */
    public void reset() {
        headerBytes = 0;
        keptBytes = 0;
        remainingBytes = 0;
        hasHole = false;
    }

    public byte[] header() {
        return header;
    }

    public byte[] body() {
        return body;
    }

    /** How many bytes of the body are known. */
    public int keptBytes() {
        return keptBytes;
    }

    public long bodyBytes() {
        return bodyBytes;
    }

    public long sizeBytes() {
        return form.sizeBytes() + bodyBytes;
    }

    /** When the first byte of the message came. */
    public Moment begin() {
        return begin;
    }

    /** Takes bytes; calls the receiver for each message that ends in them. */
    public void take(Moment at, byte[] bytes, int start, int end) throws ProtocolException {
        int from = start;
        while (from < end) {
            if (headerBytes < form.sizeBytes()) {
                if (headerBytes == 0) {
                    begin = at;
                    keptBytes = 0;
                    hasHole = false;
                }
                header[headerBytes++] = bytes[from++];
                if (headerBytes == form.sizeBytes()) {
                    bodyBytes = form.bodyBytes(header);
                    remainingBytes = bodyBytes;
                }
            } else {
                int count = (int) Math.min(end - from, remainingBytes);
                int kept = hasHole ? 0 : Math.min(count, KEPT_BYTES - keptBytes);
                System.arraycopy(bytes, from, body, keptBytes, kept);
                keptBytes += kept;
                from += count;
                remainingBytes -= count;
            }
            endIfComplete(at);
        }
    }

    /**
     * Bytes are missing here.
     *
     * @return false if they are not all of the body of one message, so that it is not known where the next one begins
     */
    public boolean skip(Moment at, long count) throws ProtocolException {
        if (count == 0) {
            return true;
        }
        if (headerBytes < form.sizeBytes() || count > remainingBytes) {
            reset();
            return false;
        }
        hasHole = true;
        remainingBytes -= count;
        endIfComplete(at);
        return true;
    }

    private void endIfComplete(Moment at) throws ProtocolException {
        if (headerBytes == form.sizeBytes() && remainingBytes == 0) {
            receiver.message(this, at);
            headerBytes = 0;
        }
    }
}
