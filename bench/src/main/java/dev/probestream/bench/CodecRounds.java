package dev.probestream.bench;

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
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What JMH times for {@link CodecBenchmark}: every method handles the same event. Public only for JMH. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@Fork(jvmArgsAppend = "-Dorg.apache.avro.SERIALIZABLE_PACKAGES=dev.probestream.schema.record")
public class CodecRounds {
    private static final String PATH = "/srv/app/public/a.txt";

    // Not final, so that the compiler cannot write the event's bytes beforehand.
    private long captureId = 0x1234_5678_9abcL;
    private long sequence = 1_000_000L;
    private long timestampNs = 3_600_000_000_123L;
    private long durationNs = 41_250L;
    private int pid = 4242;
    private int tid = 4243;
    private int cpu = 1;
    private int probeId = 7;
    private long[] numbers = {3L, 524_288L, 438L, 140_000_000_000_000L};
    private long returnValue = 19L;

    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();
    private final ByteBuffer sample = ByteBuffer.allocateDirect(256);
    private final Event event = new Event(
            captureId,
            sequence,
            timestampNs,
            durationNs,
            pid,
            tid,
            cpu,
            probeId,
            EventKind.SPAN,
            Arrays.stream(numbers).boxed().toList(),
            List.of(PATH),
            returnValue,
            0L,
            0L);
    private final Event reused = new Event();
    private final SpecificDatumWriter<Event> writer = new SpecificDatumWriter<>(Event.class);
    private final SpecificDatumReader<Event> reader = new SpecificDatumReader<>(Event.class);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream(512);
    private BinaryEncoder avroEncoder = EncoderFactory.get().binaryEncoder(written, null);
    private BinaryDecoder avroDecoder = DecoderFactory.get().binaryDecoder(new byte[0], null);
    private byte[] encoded = {};

    /** Encodes the event once by Avro, and checks that our bytes are the same. */
    @Setup
    public void encodeOnce() throws IOException {
        sample.put(0, PATH.getBytes(StandardCharsets.UTF_8));
        avroEncode();
        encoded = written.toByteArray();
        ourEncode();
        ByteBuffer ours = ByteBuffer.wrap(encoder.bytes(), encoder.offset(), encoder.length());
        if (!ours.equals(ByteBuffer.wrap(encoded))) {
            throw new IllegalStateException("EventEncoder and SpecificDatumWriter disagree about " + event);
        }
    }

    @Benchmark
    public int ourEncode() {
        encoder.begin(captureId, sequence, timestampNs, durationNs, pid, tid, cpu, probeId, EventKind.SPAN);
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(1);
        encoder.string(sample, 0, PATH.length());
        encoder.end(returnValue, 0L, 0L);
        return encoder.length();
    }

    @Benchmark
    public int avroEncode() throws IOException {
        written.reset();
        avroEncoder = EncoderFactory.get().binaryEncoder(written, avroEncoder);
        writer.write(event, avroEncoder);
        avroEncoder.flush();
        return written.size();
    }

    @Benchmark
    public long ourDecode() throws MalformedEventException {
        view.wrap(encoded, 0, encoded.length);
        return view.timestampNs() + view.number(3) + view.stringLengthBytes(0);
    }

    @Benchmark
    public long ourDecodeWithString() throws MalformedEventException {
        view.wrap(encoded, 0, encoded.length);
        return view.timestampNs() + view.number(3) + view.string(0).length();
    }

    @Benchmark
    public long avroDecode() throws IOException {
        avroDecoder = DecoderFactory.get().binaryDecoder(encoded, avroDecoder);
        Event read = reader.read(reused, avroDecoder);
        return read.getTimestampNs()
                + read.getNumbers().get(3)
                + read.getStrings().get(0).length();
    }
}
