package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The functions of stream_bytes.bpf.c, run by the kernel over bytes of this process (BPF_PROG_TEST_RUN), beside plain Java.
 * The values of the maps are as large as the rooms of samples: the verifier shows that nothing is written behind.
 */
@KernelTest(since = "5.17")
class StreamBytesCodeTest {
    private static final long SEED = 20_261_129;
    private static final int MUTANTS = 3_000;
    private static final int ROUNDS = 300;

    /** Nothing of the process is there. */
    private static final long UNREADABLE = 8;

    private static final int FEW_BUFFERS = 8;
    private static final int MAX_BUFFERS = 256;
    private static final int LAST_LARGE = StreamBytesLayout.HEAD_BYTES + StreamBytesLayout.TAIL_BYTES;

    private static BpfObjects objects;

    /** As uv_buf_t, with its bytes as far as they can be read. */
    private static final class Buffer {
        final long address;
        final long length;
        final byte[] bytes;

        private Buffer(long address, long length, byte[] bytes) {
            this.address = address;
            this.length = length;
            this.bytes = bytes;
        }

        static Buffer of(byte[] bytes) {
            return at(bytes, bytes.length);
        }

        static Buffer at(byte[] bytes, long length) {
            // Memory that is allocated stays where it is.
            NativeMemory memory = NativeMemory.ofBytes(Arrays.copyOf(bytes, Math.max(bytes.length, 8)));
            MEMORY.add(memory);
            return new Buffer(memory.lend(address -> address), length, bytes);
        }

        static Buffer unreadable(long length) {
            return new Buffer(UNREADABLE, length, new byte[0]);
        }

        boolean isReadable() {
            return address != UNREADABLE;
        }
    }

    /** What the addresses point to; kept, so that it is not freed. */
    private static final List<NativeMemory> MEMORY = new ArrayList<>();

    @BeforeAll
    static void load() {
        List<MapSpec> maps = new ArrayList<>();
        List<ProgramSpec> programs = new ArrayList<>();
        for (Room room : Room.values()) {
            maps.add(MapSpec.array(map(room), room.sizeBytes(), 1));
            programs.add(program("write_" + map(room), copying("copy_write", room)));
            programs.add(program("steps_" + map(room), copying("copy_write_without_loops", room)));
        }
        programs.add(program("read_" + map(Room.SMALL), copying("copy_read", Room.SMALL)));
        programs.add(program("read_" + map(Room.LARGE), copying("copy_read", Room.LARGE)));
        programs.add(program("room", asking("room_of_write", true)));
        programs.add(program("is_message", asking("is_database_message", false)));
        objects = FunctionsInC.link(new ObjectsSpec(maps, programs)).load();
    }

    @AfterAll
    static void unload() {
        objects.close();
        MEMORY.clear();
    }

    private static String map(Room room) {
        return room.name().toLowerCase(Locale.ROOT).replace("_buffers", "");
    }

    private static ProgramSpec program(String name, Assembler assembler) {
        List<Instruction> instructions = assembler.exit().assemble();
        return new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, instructions);
    }

    /** The context is an address and a count. */
    private static Assembler copying(String function, Room room) {
        Assembler assembler = new Assembler().mov(R6, R1).loadMapValue(R1, map(room));
        assembler.load(Width.DOUBLE_WORD, R2, R6, 0).load(Width.DOUBLE_WORD, R3, R6, 8);
        assembler.mov(R4, room.number()).mov(R5, 0);
        return assembler.callFunction(function, 96).mov(R0, 0);
    }

    private static Assembler asking(String function, boolean withCount) {
        Assembler assembler = new Assembler().mov(R6, R1).load(Width.DOUBLE_WORD, R1, R6, 0);
        if (withCount) {
            assembler.load(Width.DOUBLE_WORD, R2, R6, 8).mov(R3, 0);
        } else {
            assembler.mov(R2, 0);
        }
        return assembler.callFunction(function, 96);
    }

    private static long list(List<Buffer> buffers) {
        long[] pairs = new long[2 * buffers.size()];
        for (int i = 0; i < buffers.size(); i++) {
            pairs[2 * i] = buffers.get(i).address;
            pairs[2 * i + 1] = buffers.get(i).length;
        }
        NativeMemory memory = NativeMemory.ofLongs(pairs);
        MEMORY.add(memory);
        return memory.lend(address -> address);
    }

    private static ByteBuffer copied(String program, Room room, long address, long count) {
        BpfMap map = objects.map(map(room));
        map.update(BpfMap.key(0), ByteBuffer.allocate(room.sizeBytes()));
        TestRun.run(objects.program(program + map(room)), address, count);
        return map.lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    private static boolean isMessage(Buffer first) {
        return TestRun.run(objects.program("is_message"), list(List.of(first))) != 0;
    }

    private static Room room(long address, long count) {
        int number = TestRun.run(objects.program("room"), address, count);
        return Stream.of(Room.values())
                .filter(room -> room.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What begins like a message of a client to a database. */
    private static List<byte[]> messages() {
        return List.of(
                ascii("*2\r\n$3\r\nGET\r\n$1\r\na\r\n"),
                ascii("\u0009\0\0\0\u0003select 1"),
                ascii("!\0\0\u0001" + "\0".repeat(33)),
                ascii("Q\0\0\0\rselect 1\0"),
                ascii("P\0\0\0\u0010\0select 1\0\0\0B\0\0"),
                ascii("\0\0\0\u0010\0\u0003\0\0user\0x\0\0"),
                ascii("\0\0\0\b\u0004\u00d2\u0016/"),
                ascii("\0\0\0\b\u0004\u00d2\u00160"));
    }

    @Test
    void messagesOfClientsToDatabasesAreRecognized() {
        for (byte[] message : messages()) {
            assertThat(isMessage(Buffer.of(message)))
                    .as(Arrays.toString(message))
                    .isTrue();
        }
        for (char letter : "BCDEFHPQSXcdfp".toCharArray()) {
            assertThat(isMessage(Buffer.of(ascii(letter + "\0\0\0\u0004xyz"))))
                    .as("" + letter)
                    .isTrue();
        }
    }

    @Test
    void othersAreNot() {
        for (String text : List.of(
                "GET / HTTP/1.1\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "*0\r\n....",
                "*a\r\n....",
                "\u0009\0\0\u0004\u0003select 1", // the number of no command
                "\u0008\0\0\0\u0003select 1", // longer than the packet
                "A\0\0\0\u0004....", // a letter of none
                "q\0\0\0\u0004....",
                "Q\0\0\0\u0003....", // shorter than its length
                "Q\0\0\0\u0009....", // its end is missing
                "Q\u00ff\u00ff\u00ff\u00ff....",
                "\0\0\0\u0010\0\u0002\0\0user\0x\0\0",
                "\0\0\0\u0011\0\u0003\0\0user\0x\0\0",
                "\0\0\0\0\0\0\0\0")) {
            assertThat(isMessage(Buffer.of(ascii(text)))).as(text).isFalse();
        }
        assertThat(isMessage(Buffer.unreadable(20))).isFalse();
        assertThat(TestRun.run(objects.program("is_message"), UNREADABLE)).isEqualTo(0);
    }

    @Test
    void anyBytesAreRecognizedAsPlainJavaDoes() {
        Random random = new Random(SEED);
        List<byte[]> messages = messages();
        int recognized = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] bytes = messages.get(random.nextInt(messages.size())).clone();
            for (int change = random.nextInt(3); change > 0; change--) {
                bytes[random.nextInt(8)] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(20));
            }
            long length = random.nextInt(3) == 0 ? random.nextLong() >>> random.nextInt(64) : bytes.length;
            boolean expected = isMessage(bytes, length);
            recognized += expected ? 1 : 0;
            assertThat(isMessage(Buffer.at(bytes, length)))
                    .as("mutant %d of seed %d: %s of %d", i, SEED, Arrays.toString(bytes), length)
                    .isEqualTo(expected);
        }
        assertThat(recognized).isBetween(MUTANTS / 10, MUTANTS * 9 / 10);
    }

    /** The first 8 bytes of a buffer of that length. */
    private static boolean isMessage(byte[] bytes, long length) {
        ByteBuffer big = ByteBuffer.wrap(bytes);
        boolean isRedis = bytes[0] == '*' && bytes[1] >= '1' && bytes[1] <= '9';
        int packet = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() & 0xff_ffff;
        boolean isMySql = (bytes[3] & 0xff) <= 3 && packet + 4L == length;
        long message = Integer.toUnsignedLong(big.getInt(1));
        boolean isPostgres = "BCDEFHPQSXcdfp".indexOf(bytes[0] & 0xff) >= 0
                && message >= 4
                && Long.compareUnsigned(message + 1, length) <= 0;
        boolean isBeginning = Integer.toUnsignedLong(big.getInt(0)) == length
                && List.of(0x0003_0000, 0x04d2_162f, 0x04d2_1630).contains(big.getInt(4));
        return isRedis || isMySql || isPostgres || isBeginning;
    }

    @Test
    void roomIsAsLargeAsTheWriteNeeds() {
        byte[] bytes = new byte[600];
        assertThat(room(list(List.of(Buffer.at(bytes, 512))), 1)).isEqualTo(Room.SMALL);
        assertThat(room(list(List.of(Buffer.at(bytes, 513))), 1)).isEqualTo(Room.LARGE);
        assertThat(room(list(List.of(Buffer.at(bytes, -1))), 1)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, 1)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, 0)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, FEW_BUFFERS)).isEqualTo(Room.LARGE);
        assertThat(room(UNREADABLE, FEW_BUFFERS + 1)).isEqualTo(Room.MANY_BUFFERS);
        assertThat(room(UNREADABLE, -1)).isEqualTo(Room.MANY_BUFFERS);
    }

    @Test
    void whatCannotBeFoundIsNotCopied() {
        for (Room room : Room.values()) {
            assertThat(copied("write_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of()));
            assertThat(copied("steps_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of()));
        }
        for (Room room : List.of(Room.SMALL, Room.LARGE)) {
            assertThat(copied("read_", room, UNREADABLE, 5000)).isEqualTo(expected(room, List.of()));
        }
    }

    /** Lengths of any kind, addresses that cannot be read, more buffers than there is room for. */
    @Test
    void buffersAreCopiedAsPlainJavaDoes() {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<Buffer> buffers = new ArrayList<>();
            int longest = 1 + random.nextInt(2000);
            for (int i = 1 + random.nextInt(round % 3 == 0 ? 3 : round % 3 == 1 ? 12 : 300); i > 0; i--) {
                buffers.add(buffer(random, longest));
            }
            long address = list(buffers);
            for (Room room : Room.values()) {
                for (String program : List.of("write_", "steps_")) {
                    assertThat(copied(program, room, address, buffers.size()))
                            .as("round %d of seed %d, %s%s", round, SEED, program, room)
                            .isEqualTo(expected(room, buffers));
                }
            }
        }
    }

    private static Buffer buffer(Random random, int longest) {
        byte[] bytes = new byte[random.nextInt(longest)];
        random.nextBytes(bytes);
        return switch (random.nextInt(12)) {
            case 0 -> Buffer.unreadable(random.nextInt(3000));
            case 1 -> Buffer.at(bytes, 0);
            case 2 -> Buffer.at(new byte[2000], (1L << 32) + 5); // its lower 32 bits are recorded
            case 3 -> Buffer.at(new byte[2000], -1);
            default -> Buffer.of(bytes);
        };
    }

    private static ByteBuffer expected(Room room, List<Buffer> buffers) {
        int most = room == Room.SMALL ? 1 : room == Room.LARGE ? FEW_BUFFERS : MAX_BUFFERS;
        int mostBytes = room == Room.SMALL ? StreamBytesLayout.SMALL_BYTES : StreamBytesLayout.MAX_BUFFER_BYTES;
        ByteBuffer sample = ByteBuffer.allocate(room.sizeBytes()).order(ByteOrder.nativeOrder());
        int at = StreamBytesLayout.HEADER_SIZE_BYTES;
        for (Buffer buffer : buffers.subList(0, Math.min(most, buffers.size()))) {
            if (at + StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES + mostBytes > room.sizeBytes()) {
                break;
            }
            int size = Long.compareUnsigned(buffer.length, mostBytes) < 0 ? (int) buffer.length : mostBytes;
            size = buffer.isReadable() ? size : 0;
            sample.putInt(at + StreamBytesLayout.BUFFER_LENGTH_OFFSET, (int) buffer.length);
            sample.putInt(at + StreamBytesLayout.BUFFER_COPIED_OFFSET, size);
            at += StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES;
            sample.put(at, buffer.bytes, 0, size);
            at += size;
        }
        return sample.putInt(StreamBytesLayout.HEAD_BYTES_OFFSET, at - StreamBytesLayout.HEADER_SIZE_BYTES);
    }

    @Test
    void whatIsReadIsCopiedFromBothEnds() {
        byte[] bytes = new byte[100_000];
        new Random(SEED).nextBytes(bytes);
        long address = Buffer.of(bytes).address;
        for (long length :
                new long[] {Long.MIN_VALUE, -4095, 0, 1, 511, 512, 513, 4096, 4351, LAST_LARGE, 4353, 100_000}) {
            for (Room room : List.of(Room.SMALL, Room.LARGE)) {
                int most = room == Room.SMALL ? StreamBytesLayout.SMALL_BYTES : StreamBytesLayout.HEAD_BYTES;
                int head = (int) Math.max(0, Math.min(length, most));
                ByteBuffer expected = ByteBuffer.allocate(room.sizeBytes()).order(ByteOrder.nativeOrder());
                expected.putInt(StreamBytesLayout.HEAD_BYTES_OFFSET, head);
                expected.put(StreamBytesLayout.HEADER_SIZE_BYTES, bytes, 0, head);
                if (room == Room.LARGE && length >= LAST_LARGE) {
                    int tail = StreamBytesLayout.TAIL_BYTES;
                    expected.putInt(StreamBytesLayout.TAIL_BYTES_OFFSET, tail);
                    expected.put(StreamBytesLayout.TAIL_OFFSET, bytes, (int) length - tail, tail);
                }
                assertThat(copied("read_", room, address, length))
                        .as("%s of %d bytes", room, length)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void theEndOfWhatIsReadMayBeUnreadable() {
        long address = Buffer.of(new byte[StreamBytesLayout.HEAD_BYTES]).address;
        ByteBuffer sample = copied("read_", Room.LARGE, address, Long.MAX_VALUE);
        assertThat(sample.getInt(StreamBytesLayout.HEAD_BYTES_OFFSET)).isEqualTo(StreamBytesLayout.HEAD_BYTES);
        assertThat(sample.getInt(StreamBytesLayout.TAIL_BYTES_OFFSET)).isEqualTo(0);
    }
}
