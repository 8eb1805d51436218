package dev.probestream.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.BlockingBinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.junit.jupiter.api.Test;

public class EventCodecTest {
    private final EventEncoder encoder = new EventEncoder();
    private final EventView view = new EventView();

    @Test
    void bytesAreThoseOfAvrosOwnWriter() throws IOException {
        SplittableRandom random = new SplittableRandom(20_261_121);
        for (int i = 0; i < 20_000; i++) {
            Event event = TestRecords.event(random);
            assertThat(encode(event)).as("event %d: %s", i, event).isEqualTo(encodeByAvro(event));
        }
    }

    @Test
    void textFromDirectAndHeapBuffersOfBothOrdersIsTheSame() throws IOException {
        String text = "0123456789".repeat(5);
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            for (ByteBuffer buffer : List.of(ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64))) {
                buffer.order(order).put(3, utf8);
                for (int length = 0; length <= utf8.length; length++) {
                    beginWithStrings(1);
                    encoder.string(buffer, 3, length);
                    encoder.end(0, 0, 0);
                    assertThat(viewEncoded().string(0)).isEqualTo(text.substring(0, length));
                }
                assertThat(buffer.position()).isZero();
            }
        }
    }

    @Test
    void viewHasWhatWasEncoded() throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 5_000; i++) {
            Event event = TestRecords.event(random);
            encode(event);
            assertThat(recordOf(viewEncoded())).isEqualTo(event);
        }
    }

    @Test
    void viewReadsArraysOfSeveralBlocksWithSizes() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 2_000; i++) {
            Event event = TestRecords.event(random);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder blocks = new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(bytes, null);
            assertThat(blocks).isInstanceOf(BlockingBinaryEncoder.class);
            write(event, blocks);
            byte[] encoded = bytes.toByteArray();
            assertThat(view.wrap(encoded, 0, encoded.length)).isEqualTo(encoded.length);
            assertThat(recordOf(view)).isEqualTo(event);
        }
    }

    @Test
    void viewEndsWhereTheEventEnds() throws IOException {
        byte[] first = encode(TestRecords.event(new SplittableRandom(6)));
        byte[] padded = Arrays.copyOf(first, first.length + 20);
        assertThat(view.wrap(padded, 0, padded.length)).isEqualTo(first.length);
        assertThat(view.wrap(first, 0, first.length)).isEqualTo(first.length);
    }

    @Test
    void anEventCutAnywhereIsMalformed() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 100; i++) {
            byte[] whole = encode(TestRecords.event(random));
            for (int length = 0; length < whole.length; length++) {
                int limit = length;
                assertThatThrownBy(() -> view.wrap(whole, 0, limit)).isInstanceOf(MalformedEventException.class);
            }
        }
    }

    @Test
    void damagedEventsAreMalformedOrOtherEvents() throws IOException {
        SplittableRandom random = new SplittableRandom(8);
        int malformed = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = encode(TestRecords.event(random));
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertThat(view.wrap(bytes, 0, bytes.length)).isBetween(1, bytes.length);
                recordOf(view);
            } catch (MalformedEventException e) {
                assertThat(e.position()).isBetween(0, bytes.length);
                malformed++;
            }
        }
        assertThat(malformed).isPositive();
    }

    @Test
    void anAbsurdCountAllocatesNothing() throws IOException {
        encoder.begin(0, 0, 0, 0, 0, 0, 0, 0, EventKind.INSTANT);
        byte[] head = Arrays.copyOfRange(encoder.bytes(), encoder.offset(), encoder.offset() + 9);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(head);
        BinaryEncoder rest = EncoderFactory.get().directBinaryEncoder(bytes, null);
        rest.writeLong(Integer.MAX_VALUE);
        rest.writeFixed(new byte[100]);
        assertThatThrownBy(() -> view.wrap(bytes.toByteArray(), 0, bytes.size()))
                .isInstanceOf(MalformedEventException.class)
                .hasMessageContaining("more than 65536 items");
    }

    @Test
    void nothingIsAllocatedPerEvent() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer text = ByteBuffer.allocateDirect(64).put("/srv/grüße/server.js".getBytes(StandardCharsets.UTF_8));
        encodeAndView(text, 20_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        encodeAndView(text, 20_000);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
    }

    private void encodeAndView(ByteBuffer text, int events) throws IOException {
        for (int i = 0; i < events; i++) {
            encoder.begin(7, i, 1_000_000_000L + i, i, 42, 43, 1, 2, EventKind.SPAN);
            encoder.beginNumbers(2);
            encoder.number(i);
            encoder.number(-i);
            encoder.beginStrings(2);
            encoder.string(text, 0, 8);
            encoder.string(text, 0, 22);
            encoder.end(i, 0, 0);
            view.wrap(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
        }
    }

    @Test
    void callsInTheWrongOrderAreRefused() {
        assertThatThrownBy(() -> encoder.number(1)).isInstanceOf(IllegalStateException.class);
        beginWithStrings(1);
        assertThatThrownBy(() -> encoder.end(0, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lack 1 of the items");
        encoder.string("x");
        assertThatThrownBy(encoder::length).isInstanceOf(IllegalStateException.class);
        encoder.end(0, 0, 0);
        assertThat(encoder.length()).isPositive();
        assertThatThrownBy(() -> encoder.end(0, 0, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void textOutsideItsBufferIsRefused() {
        beginWithStrings(1);
        ByteBuffer source = ByteBuffer.allocate(16).limit(8);
        assertThatThrownBy(() -> encoder.string(source, 4, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> encoder.string(source, 4, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    private void beginWithStrings(int count) {
        encoder.begin(1, 2, 3, -1, 5, 6, 7, 8, EventKind.SPAN);
        encoder.beginNumbers(0);
        encoder.beginStrings(count);
    }

    private EventView viewEncoded() throws IOException {
        int end = encoder.offset() + encoder.length();
        assertThat(view.wrap(encoder.bytes(), encoder.offset(), end)).isEqualTo(end);
        return view;
    }

    private byte[] encode(Event event) {
        encoder.encode(event);
        return Arrays.copyOfRange(encoder.bytes(), encoder.offset(), encoder.offset() + encoder.length());
    }

    private static byte[] encodeByAvro(Event event) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(event, EncoderFactory.get().binaryEncoder(bytes, null));
        return bytes.toByteArray();
    }

    private static void write(Event event, BinaryEncoder encoder) throws IOException {
        new SpecificDatumWriter<Event>(Event.SCHEMA$, RecordData.INSTANCE).write(event, encoder);
        encoder.flush();
    }

    public static Event recordOf(EventView view) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < view.numberCount(); i++) {
            numbers.add(view.number(i));
        }
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < view.stringCount(); i++) {
            strings.add(view.string(i));
        }
        return new Event(
                view.captureId(),
                view.sequence(),
                view.timestampNs(),
                view.durationNs(),
                view.pid(),
                view.tid(),
                view.cpu(),
                view.probeId(),
                view.kind(),
                numbers,
                strings,
                view.returnValue(),
                view.stackId(),
                view.unavailable());
    }
}
