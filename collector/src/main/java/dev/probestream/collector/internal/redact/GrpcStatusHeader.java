package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Copies the number of {@code grpc-status} out of headers or trailers ("gRPC over HTTP2": Status, a decimal number). Nothing of
 * the others is copied: {@code grpc-message} and metadata may be secret.
 */
final class GrpcStatusHeader {
    private static final byte[] NAME = "grpc-status".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_DIGITS = 3;

    private final ByteBuffer out;

    GrpcStatusHeader(ByteBuffer out) {
        this.out = out;
    }

    /** Copies it if all of it is in this part of the {@link HeaderBlock}. */
    void copy(ByteBuffer source, int start, int end) {
        int at = start;
        while (at < end) {
            int value = HeaderBlock.value(source, at, end);
            int behind = HeaderBlock.after(source, value, end);
            if (behind <= end && HeaderBlock.isNamed(source, at, value, NAME) && isNumber(source, value, behind - 1)) {
                copyNumber(source, value, behind - 1);
                return;
            }
            at = behind + 1;
        }
    }

    /** Copies a value that is such a number; of any other nothing. */
    void copyNumber(ByteBuffer source, int start, int end) {
        for (int i = start; i < end && isNumber(source, start, end); i++) {
            out.put(source.get(i));
        }
    }

    private static boolean isNumber(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            if (source.get(i) < '0' || source.get(i) > '9') {
                return false;
            }
        }
        return end > start && end - start <= MAX_DIGITS;
    }
}
