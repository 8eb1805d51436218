package dev.probestream.collector.publish;

import dev.probestream.schema.message.EventMessage;
import org.jspecify.annotations.Nullable;

/** Caches the encoded keys of a capture's events by pid. Bounded: several pids share a slot. */
final class KeyCache {
    private static final int PLACES = 1024;

    private final long captureId;
    private final int[] pids = new int[PLACES];
    private final byte[] @Nullable [] keys = new byte[PLACES][];

    KeyCache(long captureId) {
        this.captureId = captureId;
    }

    /** Returns the key for a pid. The array is shared with Kafka's client and must not be changed. */
    byte[] key(int pid) {
        int place = pid & (PLACES - 1);
        byte[] known = keys[place];
        if (known != null && pids[place] == pid) {
            return known;
        }
        byte[] key = EventMessage.key(captureId, pid);
        pids[place] = pid;
        keys[place] = key;
        return key;
    }
}
