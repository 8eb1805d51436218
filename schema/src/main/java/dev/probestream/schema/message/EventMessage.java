package dev.probestream.schema.message;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * An event as a message of {@link Topics#events}: the key is the text {@code CAPTUREID/PID} in decimal, the value a
 * header of {@link MessageFraming} and an {@link Event} in Avro binary, which any Avro client reads with the schema that
 * is published as the resource {@code dev/probestream/schema/Event.avsc}. The timestamp is the time of day at which the event happened, or ended
 * if it has a duration: events are published when they end, so the timestamps of a partition rise but for the time that
 * events wait in the collector. The {@link #headers} let a reader select messages without Avro.
 */
public final class EventMessage {
    /** The name of the header that says to which partition the message was sent. */
    public static final String PARTITION_HEADER = "partition";

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
     * @param header of its schema
     */
    public static byte[] value(EventEncoder event, byte[] header) {
        byte[] bytes = event.bytes();
        // The encoder leaves room for the header in front of the event, so that one copy makes a message.
        int start = event.offset() - header.length;
        System.arraycopy(header, 0, bytes, start, header.length);
        return Arrays.copyOfRange(bytes, start, event.offset() + event.length());
    }

    /**
     * {@return the header of an event}
     *
     * @param framing writes it
     */
    public static byte[] header(MessageFraming framing) {
        return framing.header(Event.SCHEMA$);
    }

    /**
     * {@return where the event starts in the value of a message, for {@link EventView#wrap} or {@code
     * RecordingWriter#appendEncodedEvent}; it ends with the value}
     *
     * @param value of a message of the events topic
     * @param framing reads the header
     * @throws MessageFormatException if the value is not a message, or its event was written by a schema that is not
     *     ours
     * @throws SchemaRegistryException if the schema cannot be looked up in a registry
     */
    public static int bodyOffset(byte[] value, MessageFraming framing)
            throws MessageFormatException, SchemaRegistryException {
        Schema schema = framing.schema(value);
        int offset = framing.bodyOffset(value);
        if (!schema.equals(Event.SCHEMA$)) {
            throw new MessageFormatException(
                    offset, "it holds a " + schema.getName() + ", which belongs in the topic of metadata", null);
        }
        return offset;
    }
}
