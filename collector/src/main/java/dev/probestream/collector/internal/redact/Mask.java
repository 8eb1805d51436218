package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/** What stands in place of a secret; its length does not depend on the secret. */
final class Mask {
    private static final byte[] BYTES = {'*', '*', '*'};

    private Mask() {}

    static void write(ByteBuffer out) {
        out.put(BYTES);
    }
}
