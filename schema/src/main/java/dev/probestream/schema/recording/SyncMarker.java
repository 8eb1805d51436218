package dev.probestream.schema.recording;

import java.util.Arrays;

/** The 16 random bytes that end the header and every block of one file. */
final class SyncMarker {
    static final int BYTES = 16;

    private final byte[] marker;

    SyncMarker(byte[] marker) {
        this.marker = marker.clone();
    }

    /** Whether the marker stands at {@code offset}. */
    boolean isAt(byte[] bytes, int offset) {
        return Arrays.equals(bytes, offset, offset + BYTES, marker, 0, BYTES);
    }

    /** First place in the first {@code limit} bytes where the whole marker stands, or -1. */
    int find(byte[] bytes, int limit) {
        byte first = marker[0];
        for (int at = 0; at <= limit - BYTES; at++) {
            if (bytes[at] == first && isAt(bytes, at)) {
                return at;
            }
        }
        return -1;
    }
}
