package dev.probestream.convert.parquet.row;

import dev.probestream.convert.shape.Utf8;
import dev.probestream.schema.EventView;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.io.api.Binary;

/** Texts of an event as valid UTF-8: readers of Parquet reject a file with any other. */
final class Text {
    private Text() {}

    /** Borrows the event's bytes where they can stay as they are. */
    static Binary of(EventView event, int index) {
        byte[] bytes = event.buffer();
        int offset = event.stringOffset(index);
        int lengthBytes = event.stringLengthBytes(index);
        if (isValid(bytes, offset, lengthBytes)) {
            return Binary.fromReusedByteArray(bytes, offset, lengthBytes);
        }
        return Binary.fromString(new String(bytes, offset, lengthBytes, StandardCharsets.UTF_8));
    }

    private static boolean isValid(byte[] bytes, int offset, int lengthBytes) {
        if (Utf8.isAscii(bytes, offset, lengthBytes)) {
            return true;
        }
        int limit = offset + lengthBytes;
        for (int at = offset; at < limit; ) {
            int characterBytes = Utf8.characterBytes(bytes, at, limit);
            if (characterBytes == 0) {
                return false;
            }
            at += characterBytes;
        }
        return true;
    }
}
