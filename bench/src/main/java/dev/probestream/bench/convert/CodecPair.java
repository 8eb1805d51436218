package dev.probestream.bench.convert;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;

/** The same event to bytes and back, by our codec and by Avro's; each method does it once. */
public final class CodecPair {
    private static final String PATH = "/srv/app/public/a.txt";

    private final Event event = new Event(
            0x1234_5678_9abcL,
            1_000_000L,
            3_600_000_000_123L,
            41_250L,
            4242,
            4243,
            1,
            7,
            EventKind.SPAN,
            List.of(3L, 524_288L, 438L, 140_000_000_000_000L),
            List.of(PATH),
            19L,
            0L,
            0L);
    private final long captureId = event.getCaptureId();
    private final long timestampNs = event.getTimestampNs();
    private final long[] numbers =
            event.getNumbers().stream().mapToLong(Long::longValue).toArray();
    private final ByteBuffer sample = ByteBuffer.allocateDirect(256);

    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream(512);
    private final BinaryEncoder avroEncoder = EncoderFactory.get().binaryEncoder(written, null);
    private final BinaryDecoder avroDecoder = DecoderFactory.get().binaryDecoder(new byte[0], null);
    private final SpecificDatumWriter<Event> writer = new SpecificDatumWriter<>(Event.class);
    private final SpecificDatumReader<Event> reader =
            new SpecificDatumReader<>(Event.SCHEMA$, Event.SCHEMA$, new EventClass());
    private final Event reused = new Event();
    private final byte[] encoded;
    private long sequence;

    /** Avro's own look-up of classes refuses those outside its list of trusted packages. */
    private static final class EventClass extends SpecificData {
        EventClass() {
            super(Event.class.getClassLoader());
            setCustomCoders(true);
        }

        @Override
        public Class<?> getClass(Schema schema) {
            return switch (schema.getType()) {
                case RECORD -> Event.class;
                case ENUM -> EventKind.class;
                default -> super.getClass(schema);
            };
        }
    }

    /**
     * Makes the bytes to be read.
     *
     * @throws IllegalStateException when the two do not agree about them
     */
    public CodecPair() throws IOException {
        sample.put(0, PATH.getBytes(StandardCharsets.UTF_8));
        sequence = event.getSequence();
        avroEncode();
        encoded = written.toByteArray();
        sequence = event.getSequence() - 1;
        ourEncode();
        byte[] ours = Arrays.copyOfRange(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        if (!Arrays.equals(ours, encoded)) {
            throw new IllegalStateException("EventEncoder and SpecificDatumWriter disagree about " + event);
        }
    }

    long ourEncode() {
        encoder.begin(captureId, ++sequence, timestampNs, 41_250L, 4242, 4243, 1, 7, EventKind.SPAN);
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(1);
        encoder.string(sample, 0, PATH.length());
        encoder.end(19L, 0L, 0L);
        return encoder.length();
    }

    long avroEncode() throws IOException {
        written.reset();
        writer.write(event, avroEncoder);
        avroEncoder.flush();
        return written.size();
    }

    long ourDecode() throws MalformedEventException {
        view.wrap(encoded, 0, encoded.length);
        return view.timestampNs() + view.number(3) + view.stringLengthBytes(0);
    }

    public long ourDecodeWithString() throws MalformedEventException {
        view.wrap(encoded, 0, encoded.length);
        return view.timestampNs() + view.number(3) + view.string(0).length();
    }

    public long avroDecode() throws IOException {
        Event read = reader.read(reused, DecoderFactory.get().binaryDecoder(encoded, avroDecoder));
        return read.getTimestampNs()
                + read.getNumbers().get(3)
                + read.getStrings().get(0).length();
    }
}
