package dev.probestream.sink.metadata;

import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.MessageFormatException;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.record.CaptureEnd;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** What a message of the metadata topic contains about its capture: which one it is, and whether it begins or ends there. */
final class CaptureMessage {
    private static final String END = "/end";
    private static final String CAPTURE = "/capture";

    private CaptureMessage() {}

    /** 0 if the key has none. */
    static long captureId(ConsumerRecord<byte[], byte[]> message) {
        try {
            return MetadataMessage.captureId(message.key() == null ? new byte[0] : message.key());
        } catch (MessageFormatException e) {
            return 0; // reported when the message was indexed
        }
    }

    /** Which version of the format the message has. */
    static FormatStamp stamp(ConsumerRecord<byte[], byte[]> message) {
        return FormatStamp.of(key -> {
            Header header = message.headers().lastHeader(key);
            return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
        });
    }

    /** Whether this is the key of a Capture record. */
    static boolean isBeginning(byte[] key) {
        return endsWith(key, CAPTURE);
    }

    /** Whether this is the key of a CaptureEnd record. */
    static boolean isEnd(byte[] key) {
        return endsWith(key, END);
    }

    /** The number of events of a CaptureEnd record; empty if it is another record. */
    static OptionalLong delivered(byte[] value, MessageFraming framing) throws IOException {
        long[] delivered = {-1};
        MetadataMessage.read(value, framing, new RecordVisitor<RuntimeException>() {
            @Override
            public void captureEnd(CaptureEnd end) {
                delivered[0] = end.getDelivered();
            }
        });
        return delivered[0] < 0 ? OptionalLong.empty() : OptionalLong.of(delivered[0]);
    }

    private static boolean endsWith(byte[] key, String ending) {
        int start = key.length - ending.length();
        if (start < 0) {
            return false;
        }
        for (int i = 0; i < ending.length(); i++) {
            if (key[start + i] != ending.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
