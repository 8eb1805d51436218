package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.schema.record.LossReason;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The functions of websocket.bpf.c, run by the kernel over bytes of this process (BPF_PROG_TEST_RUN), beside a plain decoder. */
@KernelTest(since = "5.17")
class WebSocketCodeTest extends WebSocketFunctions {
    private static final int ROUNDS = 100;
    private static final int[] LENGTHS = {0, 1, 5, 124, 125, 126, 127, 300, 65_535, 65_536, 70_000};
    /** Nothing of the process is there. */
    private static final long UNREADABLE = 8;

    private static final int MAX_STEPS = 1 << 16;
    private static final int MAX_STEPS_WITHOUT_LOOPS = 64;
    private static final byte[] ANSWER = ascii("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n");

    @ParameterizedTest
    @EnumSource
    void messagesAreCountedAndControlFramesAreNot(Direction direction) {
        byte[] all = concat(
                text(3),
                text(70_000),
                frame(0x89, false, new byte[4]),
                text(200),
                frame(0x01, false, new byte[9]),
                frame(0x8a, false, new byte[0]),
                frame(0x00, false, new byte[300]),
                frame(0x80, false, new byte[0]),
                frame(0xc2, false, new byte[5]),
                frame(0x88, false, new byte[2]));
        pass(direction, false, all);
        assertThat(counted(direction)).isEqualTo(new Count(5, all.length, false));
    }

    @ParameterizedTest
    @EnumSource
    void aHeaderMayComeByteByByte(Direction direction) {
        begin(true);
        byte[] all = concat(frame(0x82, true, new byte[70_000]), frame(TEXT, true, new byte[200]));
        for (int i = 0; i < 20; i++) {
            pass(direction, false, new byte[] {all[i]});
        }
        pass(direction, false, Arrays.copyOfRange(all, 20, all.length));
        assertThat(counted(direction)).isEqualTo(new Count(2, all.length, false));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoFrameEndsTheCountingOfItsDirection(Direction direction) {
        for (byte[] wrong : List.of(
                frame(0x83, false, new byte[1]), // a reserved opcode
                frame(0x80, false, new byte[1]), // goes on with no message
                frame(0x09, false, new byte[1]), // a control frame in pieces
                frame(0x89, false, new byte[126]), // too long for one
                frame(TEXT, true, new byte[1]), // masked, though it is a server's
                new byte[] {(byte) TEXT, 127, -1, 0, 0, 0, 0, 0, 0, 0})) { // longer than 2^63
            begin(false);
            pass(direction, false, text(1), wrong, text(1));
            assertThat(counted(direction).messages()).as(Arrays.toString(wrong)).isEqualTo(1);
            pass(direction, false, text(1));
            assertThat(counted(direction)).isEqualTo(new Count(1, 3L * text(1).length + wrong.length, true));
        }
        assertThat(counted(direction == Direction.SENT ? Direction.RECEIVED : Direction.SENT))
                .isEqualTo(new Count(0, 0, false));
    }

    @ParameterizedTest
    @EnumSource
    void moreFramesThanTheLoopHasStepsAreAtLeastSoMany(Direction direction) {
        for (boolean with : new boolean[] {true, false}) {
            int steps = with ? MAX_STEPS : MAX_STEPS_WITHOUT_LOOPS;
            hasLoops = with;
            begin(false);
            byte[] frame = frame(TEXT, false, new byte[0]);
            ByteBuffer many = ByteBuffer.allocate(frame.length * (steps + 1));
            while (many.hasRemaining()) {
                many.put(frame);
            }
            pass(direction, false, many.array());
            assertThat(counted(direction).isLost()).isTrue();
            assertThat(counted(direction).messages()).isBetween(steps - 2L, (long) steps);
        }
    }

    @ParameterizedTest
    @EnumSource
    void framesBeginBehindTheAnswerThatUpgrades(Direction direction) {
        byte[] answer = ascii("HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\n" + "X-Long: "
                + "x".repeat(200) + "\r\nConnection: Upgrade\r\n\r\n");
        assertThat(pass(direction, true, concat(answer, text(5), text(6)))).isEqualTo(0);
        pass(direction, false, text(300));
        assertThat(counted(direction)).isEqualTo(new Count(3, concat(text(5), text(6), text(300)).length, false));
    }

    @Test
    void anAnswerWhoseEndIsNotThereIsNotCounted() {
        pass(
                Direction.RECEIVED,
                true,
                ascii("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nX: " + "x".repeat(1000) + "\r\n\r\n"));
        assertThat(counted(Direction.RECEIVED).isLost()).isTrue();
        begin(false);
        pass(Direction.RECEIVED, true, ascii("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n"));
        assertThat(counted(Direction.RECEIVED).isLost()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void otherUpgradesAreNone(Direction direction) {
        byte[] answer = ascii("HTTP/1.1 101 Switching Protocols\r\nUpgrade: tcp\r\n\r\nwebsocket");
        assertThat(pass(direction, true, answer)).isEqualTo(2);
        hasLoops = false;
        assertThat(pass(direction, true, answer)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void whatBeginsOtherwiseIsNoUpgrade(Direction direction) {
        for (String text : List.of(
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.0 101 x\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "http/1.1 101",
                "\0\0\0\0\0\0\0\0\0\0\0\0")) {
            assertThat(pass(direction, true, ascii(text))).as(text).isEqualTo(1);
        }
        assertThat(run(direction, UNREADABLE, 100, true)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeReadEndsTheCountingOfItsDirection(Direction direction) {
        for (boolean with : new boolean[] {true, false}) {
            hasLoops = with;
            begin(false);
            pass(direction, false, text(1));
            run(direction, UNREADABLE, 2, false);
            pass(direction, false, text(1));
            assertThat(counted(direction).messages()).isEqualTo(1);
            assertThat(counted(direction).isLost()).isTrue();
        }
    }

    /** Any bytes behind a status line; the end of the answer is where a plain search finds it. */
    @ParameterizedTest
    @EnumSource
    void answersOfAnyBytesEndAtTheirEmptyLine(Direction direction) {
        Random random = new Random(17);
        String[] parts = {
            "\r\n", "\r", "\n", "Upgrade: ", "webSocket", "websocke", "x".repeat(60), "\r\n\r", "\u00ff", "\0"
        };
        for (int round = 0; round < ROUNDS; round++) {
            hasLoops = round % 2 == 0;
            begin(false);
            StringBuilder text = new StringBuilder("HTTP/1.1 101");
            for (int i = random.nextInt(30); i > 0; i--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            int end = text.indexOf("\r\n\r\n") + 4;
            boolean isFound = end >= 4 && end <= 1024;
            String searched = isFound ? text.substring(0, end) : text.substring(0, Math.min(text.length(), 1024));
            boolean isWebSocket = searched.toLowerCase(Locale.ROOT).contains("websocke");
            byte[] answer = text.toString().getBytes(StandardCharsets.ISO_8859_1);
            int result = pass(direction, true, isFound ? Arrays.copyOf(answer, end) : answer);
            assertThat(result).as("round %d: %s", round, text).isEqualTo(isWebSocket ? 0 : 2);
            if (isFound && isWebSocket) {
                assertThat(counted(direction)).as("round %d: %s", round, text).isEqualTo(new Count(0, 0, false));
            } else if (isWebSocket) {
                assertThat(counted(direction).isLost())
                        .as("round %d: %s", round, text)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoWritesTheAnswerIsTheServer(Direction direction) {
        for (boolean isTls : new boolean[] {false, true}) {
            layer = isTls ? "_tls" : "";
            assertThat(pass(direction, true, ANSWER)).isZero();
            ByteBuffer value = value();
            int masked = direction == Direction.SENT ? WebSocketLayout.RECEIVED_OFFSET : WebSocketLayout.SENT_OFFSET;
            assertThat(value.getLong(WebSocketLayout.IS_SERVER_OFFSET)).isEqualTo(direction == Direction.SENT ? 1 : 0);
            assertThat(value.getLong(masked + WebSocketLayout.IS_MASKED_OFFSET)).isEqualTo(1);
            assertThat(value.getLong(direction.offset + WebSocketLayout.IS_MASKED_OFFSET))
                    .isZero();
            assertThat(value.getLong(WebSocketLayout.IS_TLS_OFFSET)).isEqualTo(isTls ? 1 : 0);
            assertThat(value.getLong(WebSocketLayout.STREAM_OFFSET)).isEqualTo(STREAM);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bytesOfTheLayerBelowTlsAreNoFrames(Direction direction) {
        run(name(direction, true) + "_tls", STREAM, UNREADABLE, 5);
        assertThat(counted(direction)).isEqualTo(new Count(0, 0, false));
        run(name(direction, true), STREAM, UNREADABLE, 5);
        assertThat(counted(direction).isLost()).isTrue();
    }

    @Test
    void readsThatFailAreNoBytes() {
        for (long length : new long[] {0, -1, -4095, Long.MIN_VALUE}) {
            run(name(Direction.RECEIVED, hasLoops), STREAM, UNREADABLE, length);
        }
        assertThat(counted(Direction.RECEIVED)).isEqualTo(new Count(0, 0, false));
    }

    @Test
    void connectionsBeyondTheRoomAreLost() {
        long lost = lost(LossReason.TOO_MANY_OPEN_SPANS);
        clear();
        NativeMemory answer = NativeMemory.ofBytes(ANSWER);
        answer.lend(address -> {
            for (int i = 0; i < MAX_CONNECTIONS + 2; i++) {
                run(name(Direction.RECEIVED, true), STREAM + i, address, answer.sizeBytes());
                assertThat(objects.map(MapNames.WEB_SOCKETS)
                                .lookup(key(STREAM + i))
                                .isPresent())
                        .isEqualTo(i < MAX_CONNECTIONS);
            }
            return 0L;
        });
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS) - lost).isEqualTo(2);
    }

    private static long lost(LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, reason));
    }

    @Test
    void connectionThatIsClosedIsASample() {
        ByteBuffer begun = value().putLong(EventLayout.TIMESTAMP_OFFSET, 1_000_000);
        objects.map(MapNames.WEB_SOCKETS).update(key(STREAM), begun);
        run("close", STREAM + 1, UNREADABLE, 0);
        assertThat(samples()).isEmpty();

        long beforeNs = System.nanoTime();
        run("close", STREAM, UNREADABLE, 0);
        long durationNs = samples().get(0).getLong(EventLayout.DURATION_OFFSET);
        assertThat(durationNs).isBetween(beforeNs - 1_000_000, System.nanoTime() - 1_000_000);
        assertThat(objects.map(MapNames.WEB_SOCKETS).lookup(key(STREAM))).isEmpty();
        run("close", STREAM, UNREADABLE, 0);
        assertThat(samples()).isEmpty();
    }

    @Test
    void samplesThatTheRingHasNoRoomForAreCounted() {
        long lost = lost(LossReason.RING_FULL);
        int hits = RING_BYTES / WebSocketLayout.SIZE_BYTES + 1;
        for (int i = 0; i < hits; i++) {
            begin(false);
            run("close", STREAM, UNREADABLE, 0);
            assertThat(objects.map(MapNames.WEB_SOCKETS).lookup(key(STREAM))).isEmpty();
        }
        assertThat(lost(LossReason.RING_FULL) - lost)
                .isPositive()
                .isEqualTo(hits - samples().size());
    }

    /** What was sent since it was asked last. */
    private static List<ByteBuffer> samples() {
        List<ByteBuffer> samples = new ArrayList<>();
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.EVENTS))) {
            ring.poll(
                    (sample, at, length) -> {
                        byte[] bytes = new byte[length];
                        sample.get(at, bytes);
                        samples.add(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
                        assertThat(length).isEqualTo(WebSocketLayout.SIZE_BYTES);
                    },
                    Integer.MAX_VALUE);
        }
        return samples;
    }

    /** Frames in pieces of any size; in every other round some bytes are damaged. */
    @ParameterizedTest
    @EnumSource
    void countsAsAPlainDecoderDoes(Direction direction) {
        Random random = new Random(16);
        for (int round = 0; round < ROUNDS; round++) {
            boolean isMasked = random.nextBoolean();
            begin(isMasked);
            hasLoops = round % 3 != 0;
            byte[] all = frames(random, isMasked);
            for (int i = 0; i < round % 2 * (1 + random.nextInt(3)) && all.length > 0; i++) {
                all[random.nextInt(Math.min(all.length, 600))] ^= (byte) (1 << random.nextInt(8));
            }
            for (int at = 0; at < all.length; ) {
                List<byte[]> buffers = new ArrayList<>();
                for (int i = 1 + random.nextInt(6); i > 0 && at < all.length; i--) {
                    int size = Math.min(all.length - at, random.nextInt(random.nextBoolean() ? 8 : 20_000));
                    buffers.add(Arrays.copyOfRange(all, at, at + size));
                    at += size;
                }
                pass(direction, false, buffers.toArray(byte[][]::new));
            }
            assertThat(counted(direction)).as("round %d", round).isEqualTo(decoded(all, isMasked));
        }
    }

    private static byte[] frames(Random random, boolean isMasked) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        boolean isWithin = false;
        for (int i = random.nextInt(20); i > 0; i--) {
            if (random.nextInt(4) == 0) {
                all.writeBytes(frame(0x88 + random.nextInt(3), isMasked, new byte[random.nextInt(126)]));
                continue;
            }
            boolean isLast = random.nextBoolean();
            int opcode = isWithin ? 0 : 1 + random.nextInt(2);
            byte[] payload = new byte[LENGTHS[random.nextInt(LENGTHS.length - (i % 3 == 0 ? 0 : 3))]];
            random.nextBytes(payload);
            all.writeBytes(frame((isLast ? 0x80 : 0) | opcode, isMasked, payload));
            isWithin = !isLast;
        }
        byte[] bytes = all.toByteArray();
        return random.nextInt(3) == 0 ? Arrays.copyOf(bytes, bytes.length - random.nextInt(bytes.length + 1)) : bytes;
    }

    /** RFC 6455, section 5.2, of all bytes at once. */
    private static Count decoded(byte[] all, boolean isMasked) {
        long messages = 0;
        boolean isWithin = false;
        long at = 0;
        while (all.length - at >= 2) {
            ByteBuffer header = ByteBuffer.wrap(all, (int) at, (int) (all.length - at));
            int first = header.get() & 0xff;
            int second = header.get() & 0xff;
            if (second >> 7 != (isMasked ? 1 : 0)) {
                return new Count(messages, all.length, true);
            }
            int short7 = second & 0x7f;
            int more = (short7 == 126 ? 2 : short7 == 127 ? 8 : 0) + (isMasked ? 4 : 0);
            if (header.remaining() < more) {
                break;
            }
            long length = short7 == 126 ? header.getShort() & 0xffff : short7 == 127 ? header.getLong() : short7;
            int opcode = first & 0x0f;
            boolean isLast = first >= 0x80;
            boolean isControl = opcode >= 8;
            boolean isWrong = opcode > 10
                    || (opcode > 2 && opcode < 8)
                    || length < 0
                    || (isControl ? !isLast || length > 125 : (opcode == 0) != isWithin);
            if (isWrong) {
                return new Count(messages, all.length, true);
            }
            if (!isControl) {
                isWithin = !isLast;
                messages += isLast ? 1 : 0;
            }
            at += 2 + more + length;
            if (at < 0 || at > all.length) {
                break;
            }
        }
        return new Count(messages, all.length, false);
    }
}
