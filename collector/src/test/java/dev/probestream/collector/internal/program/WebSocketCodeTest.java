package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The functions of websocket.bpf.c, run by the kernel over bytes of this process (BPF_PROG_TEST_RUN), beside a plain decoder. */
@KernelTest(since = "5.17")
class WebSocketCodeTest {
    private static final int ROUNDS = 100;
    private static final String MAP = "web_socket";
    private static final int[] LENGTHS = {0, 1, 5, 124, 125, 126, 127, 300, 65_535, 65_536, 70_000};
    private static final int TEXT = 0x81;
    /** Nothing of the process is there. */
    private static final long UNREADABLE = 8;

    private static final int MAX_STEPS = 1 << 16;
    private static final int MAX_STEPS_WITHOUT_LOOPS = 64;

    private static BpfObjects objects;

    private boolean hasLoops = true;

    /** Which way bytes go: those that are received are read as one buffer. */
    private enum Direction {
        SENT(WebSocketLayout.SENT_OFFSET),
        RECEIVED(WebSocketLayout.RECEIVED_OFFSET);

        private final int offset;

        Direction(int offset) {
            this.offset = offset;
        }
    }

    /** What is known of a direction. */
    private record Count(long messages, long bytes, boolean isLost) {}

    @BeforeAll
    static void load() {
        List<ProgramSpec> programs = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            for (boolean hasLoops : new boolean[] {false, true}) {
                programs.add(program(direction, hasLoops));
            }
        }
        objects = FunctionsInC.link(
                        new ObjectsSpec(List.of(MapSpec.array(MAP, WebSocketLayout.SIZE_BYTES, 1)), programs))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void isNew() {
        begin(false);
    }

    private static String name(Direction direction, boolean hasLoops) {
        return direction.name().toLowerCase(Locale.ROOT) + (hasLoops ? "_loops" : "");
    }

    /**
     * The context is the address of the bytes, or of buffers, how many there are, and whether an answer begins them. Its result
     * is 1 if they begin with no such answer, 2 if it upgrades to something else.
     */
    private static ProgramSpec program(Direction direction, boolean hasLoops) {
        Assembler assembler = new Assembler();
        String suffix = hasLoops ? "" : "_without_loops";
        int pair = assembler.stackSlot(2 * Long.BYTES);
        int isWrite = direction == Direction.SENT ? 1 : 0;
        Label follow = assembler.newLabel();
        Label none = assembler.newLabel();
        Label other = assembler.newLabel();
        assembler.mov(R6, R1).loadMapValue(R7, MAP);
        assembler.load(Width.DOUBLE_WORD, R1, R6, 16).jumpIf(Condition.EQUAL, R1, 0, follow);
        assembler.mov(R1, R10).add(R1, pair);
        assembler.load(Width.DOUBLE_WORD, R2, R6, 0).load(Width.DOUBLE_WORD, R3, R6, 8);
        assembler.mov(R4, isWrite).mov(R5, 0).callFunction("find_upgrade", 128);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.mov(R1, R7).mov(R2, R10).add(R2, pair).mov(R3, isWrite).mov(R4, 0);
        assembler.callFunction("read_answer" + suffix, 128).jumpIf(Condition.EQUAL, R0, 0, other);
        assembler.bind(follow).mov(R1, R7);
        assembler.load(Width.DOUBLE_WORD, R2, R6, 0).load(Width.DOUBLE_WORD, R3, R6, 8);
        assembler.mov(R4, isWrite).mov(R5, 0).callFunction("follow_frames" + suffix, 128);
        assembler.mov(R0, 0).exit();
        assembler.bind(none).mov(R0, 1).exit();
        assembler.bind(other).mov(R0, 2).exit();
        return TestRun.spec(name(direction, hasLoops), assembler);
    }

    private static void begin(boolean isMasked) {
        ByteBuffer value = ByteBuffer.allocate(WebSocketLayout.SIZE_BYTES).order(ByteOrder.nativeOrder());
        for (Direction direction : Direction.values()) {
            value.putLong(direction.offset + WebSocketLayout.IS_MASKED_OFFSET, isMasked ? 1 : 0);
        }
        objects.map(MAP).update(BpfMap.key(0), value);
    }

    /** One write of these buffers, or a reading of each. */
    private int pass(Direction direction, boolean isAnswer, byte[]... buffers) {
        NativeMemory bytes = NativeMemory.ofBytes(concat(buffers));
        return (int) bytes.lend(address -> {
            if (direction == Direction.RECEIVED) {
                return run(direction, address, bytes.sizeBytes(), isAnswer);
            }
            long[] pairs = new long[2 * buffers.length];
            long at = address;
            for (int i = 0; i < buffers.length; i++) {
                pairs[2 * i] = at;
                pairs[2 * i + 1] = buffers[i].length;
                at += buffers[i].length;
            }
            return NativeMemory.ofLongs(pairs).lend(list -> run(direction, list, buffers.length, isAnswer));
        });
    }

    private int run(Direction direction, long address, long count, boolean isAnswer) {
        return TestRun.run(objects.program(name(direction, hasLoops)), address, count, isAnswer ? 1 : 0);
    }

    private static ByteBuffer value() {
        return objects.map(MAP).lookup(BpfMap.key(0)).orElseThrow();
    }

    private static Count counted(Direction direction) {
        ByteBuffer value = value();
        return new Count(
                value.getLong(direction.offset + WebSocketLayout.MESSAGES_OFFSET),
                value.getLong(direction.offset + WebSocketLayout.BYTES_OFFSET),
                value.getLong(direction.offset + WebSocketLayout.IS_LOST_OFFSET) != 0);
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] frame(int first, boolean isMasked, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length);
        int mask = isMasked ? 0x80 : 0;
        frame.put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (mask | payload.length));
        } else if (payload.length < 65_536) {
            frame.put((byte) (mask | 126)).putShort((short) payload.length);
        } else {
            frame.put((byte) (mask | 127)).putLong(payload.length);
        }
        if (isMasked) {
            frame.putInt(0x1234_5678);
        }
        frame.put(payload);
        return Arrays.copyOf(frame.array(), frame.position());
    }

    private static byte[] text(int lengthBytes) {
        return frame(TEXT, false, new byte[lengthBytes]);
    }

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
        assertThat(counted(direction)).isEqualTo(new Count(0, 0, false));
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
            } else if (!isFound) {
                assertThat(counted(direction).isLost())
                        .as("round %d: %s", round, text)
                        .isTrue();
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
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
