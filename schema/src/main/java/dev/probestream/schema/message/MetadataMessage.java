package dev.probestream.schema.message;

import dev.probestream.schema.RecordData;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/**
 * Any record but an event as a message of {@link Topics#metadata}: the key is text and names the thing that the record
 * is about, so that compaction keeps the last word on it; the value is a header of {@link MessageFraming} and the record
 * in Avro binary.
 *
 * <pre>
 *   CAPTUREID/capture
 *   CAPTUREID/probe/PROBEID
 *   CAPTUREID/process/PID/STARTNS         pids are used again, and both processes are to be kept
 *   CAPTUREID/thread/PID/TID/STARTNS
 *   CAPTUREID/stack/STACKID
 *   CAPTUREID/clock/NUMBER                nothing replaces these: a running number keeps them all
 *   CAPTUREID/loss/NUMBER
 *   CAPTUREID/hits/NUMBER
 *   CAPTUREID/gap/NUMBER
 *   CAPTUREID/cost/NUMBER
 *   CAPTUREID/end
 * </pre>
 *
 * All numbers are signed decimals. The schemas are published as the resources {@code dev/probestream/schema/KIND.avsc}.
 */
public final class MetadataMessage {
    /** What follows the capture in the keys of records that replace none. */
    private static final List<String> NUMBERED = List.of("clock/", "loss/", "hits/", "gap/", "cost/");

    private MetadataMessage() {}

    /**
     * {@return the key of a record}
     *
     * @param record of any kind but Event
     * @param runningNumber grows with every record of the capture; only the kinds whose records replace none use it
     */
    public static byte[] key(SpecificRecord record, long runningNumber) {
        Key key = new Key(runningNumber);
        RecordVisitor.visit(record, key);
        return key.text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * {@return the value of a record, in a new array}
     *
     * @param record of any kind but Event
     * @param framing writes the header
     */
    public static byte[] value(SpecificRecord record, MessageFraming framing) {
        Schema schema = record.getSchema();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(framing.header(schema));
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
        try {
            new SpecificDatumWriter<SpecificRecord>(schema, RecordData.INSTANCE).write(record, encoder);
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode " + schema.getFullName() + " in memory", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Calls the visitor's method for the record of a value.
     *
     * @param <E> what the visitor's methods may throw
     * @param value of a message of the metadata topic
     * @param framing reads the header
     * @param visitor takes the record
     * @throws MessageFormatException if the value is not a message, is damaged, or has a schema that is unknown; the
     *     visitor is not called then
     * @throws SchemaRegistryException if the schema cannot be looked up in a registry
     * @throws E what the visitor throws
     */
    public static <E extends Exception> void read(byte[] value, MessageFraming framing, RecordVisitor<E> visitor)
            throws MessageFormatException, SchemaRegistryException, E {
        RecordVisitor.visit(decode(value, framing), visitor);
    }

    /**
     * {@return the capture that a message of either topic belongs to, from its key}
     *
     * @param key of a message
     * @throws MessageFormatException if it is not such a key
     */
    public static long captureId(byte[] key) throws MessageFormatException {
        String text = new String(key, StandardCharsets.US_ASCII);
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new MessageFormatException(key.length, "its key has no '/'; a key is CAPTUREID/KIND...", null);
        }
        try {
            return Long.parseLong(text, 0, slash, 10);
        } catch (NumberFormatException e) {
            throw new MessageFormatException(0, "its key does not begin with the number of a capture", e);
        }
    }

    /**
     * {@return whether the record of this key never replaces another, because a running number is in the key}
     *
     * @param key of a message
     */
    public static boolean isNumbered(String key) {
        int kind = key.indexOf('/') + 1;
        return NUMBERED.stream().anyMatch(numbered -> key.startsWith(numbered, kind));
    }

    private static SpecificRecord decode(byte[] value, MessageFraming framing)
            throws MessageFormatException, SchemaRegistryException {
        Schema schema = framing.schema(value);
        int offset = framing.bodyOffset(value);
        if (schema.equals(Event.SCHEMA$)) {
            throw new MessageFormatException(offset, "it holds an Event, which belongs in the topic of events", null);
        }
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(value, offset, value.length - offset, null);
        SpecificRecord record;
        int restBytes;
        try {
            record = new SpecificDatumReader<SpecificRecord>(schema, schema, RecordData.INSTANCE).read(null, decoder);
            restBytes = decoder.remainingBytes();
        } catch (IOException | RuntimeException e) {
            // Not only Avro's own exceptions: damaged bytes make its readers run into casts and array bounds.
            throw new MessageFormatException(offset, "its " + schema.getName() + " cannot be read (" + e + ")", e);
        }
        if (restBytes > 0) {
            throw new MessageFormatException(
                    value.length - restBytes, restBytes + " bytes follow its " + schema.getName(), null);
        }
        return record;
    }

    /** The key's text of the record that was visited. */
    private static final class Key implements RecordVisitor<RuntimeException> {
        private final long runningNumber;
        private String text = "";

        Key(long runningNumber) {
            this.runningNumber = runningNumber;
        }

        @Override
        public void capture(Capture capture) {
            text = capture.getCaptureId() + "/capture";
        }

        @Override
        public void probe(Probe probe) {
            text = probe.getCaptureId() + "/probe/" + probe.getProbeId();
        }

        @Override
        public void process(Process process) {
            text = process.getCaptureId() + "/process/" + process.getPid() + "/" + process.getStartNs();
        }

        @Override
        public void thread(Thread thread) {
            text = thread.getCaptureId() + "/thread/" + thread.getPid() + "/" + thread.getTid() + "/"
                    + thread.getStartNs();
        }

        @Override
        public void stack(Stack stack) {
            text = stack.getCaptureId() + "/stack/" + stack.getStackId();
        }

        @Override
        public void clock(Clock clock) {
            text = clock.getCaptureId() + "/clock/" + runningNumber;
        }

        @Override
        public void loss(Loss loss) {
            text = loss.getCaptureId() + "/loss/" + runningNumber;
        }

        @Override
        public void hitSummary(HitSummary summary) {
            text = summary.getCaptureId() + "/hits/" + runningNumber;
        }

        @Override
        public void gap(Gap gap) {
            text = gap.getCaptureId() + "/gap/" + runningNumber;
        }

        @Override
        public void cost(Cost cost) {
            text = cost.getCaptureId() + "/cost/" + runningNumber;
        }

        @Override
        public void captureEnd(CaptureEnd captureEnd) {
            text = captureEnd.getCaptureId() + "/end";
        }
    }
}
