package dev.probestream.schema.message;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * An event as a message of {@link Topics#events}: the key is the text {@code CAPTUREID/PID} in decimal, the value the
 * Avro single-object encoding of an {@link Event}, which any Avro client reads with the schema that is published as the
 * resource {@code dev/probestream/schema/Event.avsc}. The timestamp is the time of day at which the event happened, or ended
 * if it has a duration: events are published when they end, so the timestamps of a partition rise but for the time that
 * events wait in the collector. The {@link #headers} let a reader select messages without Avro.
 */
public final class EventMessage {
    /** The name of the header that says to which partition the message was sent. */
    public static final String PARTITION_HEADER = "partition";

    /** So many bytes of a value stand in front of the event. */
    public static final int HEADER_BYTES = SingleObject.HEADER_BYTES;

    private static final long FINGERPRINT = MessageSchemas.fingerprint(Event.SCHEMA$);

    private EventMessage() {}

    /**
     * {@return the key of an event's message, by which one process keeps its order}
     *
     * @param captureId of the capture
     * @param pid of the process
     */
    public static byte[] key(long captureId, int pid) {
        return (captureId + "/" + pid).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * {@return the timestamp of an event's message: Unix time in milliseconds}
     *
     * @param event an event that was begun
     * @param monotonicToRealtimeNs added to CLOCK_MONOTONIC, gives CLOCK_REALTIME; of the capture's newest Clock
     */
    public static long timestampMs(EventEncoder event, long monotonicToRealtimeNs) {
        // Kafka takes no negative time, which a clock near 1970 could give.
        return Math.max(0, Math.floorDiv(event.endNs() + monotonicToRealtimeNs, 1_000_000L));
    }

    /**
     * {@return the headers of the messages of a capture's events of one kind, in their order; the values are UTF-8}
     *
     * <ul>
     *   <li>{@code format}: the version of the format, as {@link FormatStamp#FORMAT_KEY} has it in the metadata topic
     *   <li>{@code host}: the name of the machine
     *   <li>{@code capture}: the capture's id in decimal, as in the key
     *   <li>{@code kind}: the symbol of the event's kind, such as {@code SPAN}
     *   <li>{@link #PARTITION_HEADER}: the partition that the message is sent to, in decimal; a copy elsewhere is known by it
     * </ul>
     *
     * @param capture of the events
     * @param kind of the events
     * @param partition of the capture
     */
    public static Map<String, String> headers(Capture capture, EventKind kind, int partition) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("format", FormatStamp.OWN.format());
        headers.put("host", capture.getHost());
        headers.put("capture", Long.toString(capture.getCaptureId()));
        headers.put("kind", kind.name());
        headers.put(PARTITION_HEADER, Integer.toString(partition));
        return headers;
    }

    /**
     * {@return the event that {@code event} holds, which must be complete, in a new array that has just its size}
     *
     * @param event a whole event
     */
    public static byte[] value(EventEncoder event) {
        int endBytes = event.offset() + event.length();
        byte[] bytes = event.bytes();
        // The encoder leaves room for the header in front of the event, so that one copy makes a message.
        SingleObject.writeHeader(bytes, FINGERPRINT);
        return Arrays.copyOf(bytes, endBytes);
    }

    /**
     * {@return where the event starts in the value of a message, for {@link EventView#wrap} or {@code
     * RecordingWriter#appendEncodedEvent}; it ends with the value}
     *
     * @param value of a message of the events topic
     * @throws MessageFormatException if the value is not a message, or its event was written by a schema that is not
     *     ours
     */
    public static int bodyOffset(byte[] value) throws MessageFormatException {
        long fingerprint = SingleObject.readFingerprint(value);
        if (fingerprint != FINGERPRINT) {
            Schema other = MessageSchemas.of(fingerprint);
            throw other == null
                    ? SingleObject.unknownSchema(fingerprint)
                    : new MessageFormatException(
                            2, "it holds a " + other.getName() + ", which belongs in the topic of metadata", null);
        }
        return HEADER_BYTES;
    }
}
