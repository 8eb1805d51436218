package dev.probestream.convert.timeline;

import dev.probestream.convert.shape.Utf8;
import dev.probestream.schema.EventView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A thread's name as the kernel gave it in an event: bytes of its own, reused. */
public final class Comm {
    private byte[] bytes = new byte[16];
    private int lengthBytes;

    Comm() {}

    void set(EventView event, int string) {
        lengthBytes = event.stringLengthBytes(string);
        if (bytes.length < lengthBytes) {
            bytes = new byte[lengthBytes];
        }
        System.arraycopy(event.buffer(), event.stringOffset(string), bytes, 0, lengthBytes);
    }

    void set(String name) {
        bytes = name.getBytes(StandardCharsets.UTF_8);
        lengthBytes = bytes.length;
    }

    void set(Comm other) {
        bytes = Arrays.copyOf(other.bytes, Math.max(16, other.lengthBytes));
        lengthBytes = other.lengthBytes;
    }

    /** UTF-8, from index 0; borrowed. The text of another tool's recording may be invalid, see {@link Utf8}. */
    public byte[] bytes() {
        return bytes;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, lengthBytes, StandardCharsets.UTF_8);
    }
}
