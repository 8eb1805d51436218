package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import dev.probestream.collector.internal.program.layout.StreamHitLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
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

    private static final int CALLED_STACK_BYTES = 96;
    private static final int TGID = 4711;
    private static final long RECEIVED = 123_456;
    private static final long SEQUENCE = 0x1122_3344_5566_7788L;

    private static BpfObjects objects;
    private static long streams = 0x7fff_0000_0000L;

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
        maps.add(new MapSpec(
                MapNames.STREAMS,
                MapType.LRU_HASH,
                StreamBytesLayout.KEY_SIZE_BYTES,
                Long.BYTES,
                StreamBytesLayout.MAX_STREAMS,
                0));
        for (Room room : Room.values()) {
            maps.add(MapSpec.array(map(room), room.sizeBytes(), 1));
            programs.add(copying("write_" + map(room), "copy_write", room));
            programs.add(copying("steps_" + map(room), "copy_write_without_loops", room));
        }
        programs.add(copying("read_" + map(Room.SMALL), "copy_read", Room.SMALL));
        programs.add(copying("read_" + map(Room.LARGE), "copy_read", Room.LARGE));
        programs.add(room());
        programs.add(counting("count_write"));
        programs.add(counting("count_read"));
        programs.add(closing());
        maps.add(new MapSpec(MapNames.WRITE_ENTRIES, MapType.LRU_HASH, Integer.BYTES, Long.BYTES, 64, 0));
        maps.add(MapSpec.array(MapNames.DATABASE_DESCRIPTORS, Long.BYTES, StreamBytesLayout.MAX_DESCRIPTORS));
        programs.add(ofDescriptor("may_write_to_database"));
        programs.add(ofDescriptor("may_read_from_database"));
        for (String function : List.of("enter_write", "entry_of_write")) {
            programs.add(storing(function));
        }
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

    /** The context is a hit, which is copied to the stack. Leaves its place in a register. */
    private static int hit(Assembler assembler, Register address) {
        int slot = assembler.stackSlot(StreamHitLayout.SIZE_BYTES);
        for (int i = 0; i < StreamHitLayout.SIZE_BYTES; i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R0, R1, i).store(Width.DOUBLE_WORD, R10, slot + i, R0);
        }
        assembler.mov(address, R10).add(address, slot);
        return slot;
    }

    private static ProgramSpec copying(String name, String function, Room room) {
        Assembler assembler = new Assembler();
        hit(assembler, R2);
        assembler.loadMapValue(R1, map(room)).mov(R3, room.number()).mov(R4, 0);
        return TestRun.spec(
                name,
                assembler.callFunction(function, CALLED_STACK_BYTES).mov(R0, 0).exit());
    }

    private static ProgramSpec room() {
        Assembler assembler = new Assembler();
        hit(assembler, R1);
        return TestRun.spec(
                "room",
                assembler
                        .mov(R2, 0)
                        .callFunction("room_of_write", CALLED_STACK_BYTES)
                        .exit());
    }

    /** The result is the number of the hit; 0 = it is not recorded. */
    private static ProgramSpec counting(String function) {
        Assembler assembler = new Assembler();
        Label ignored = assembler.newLabel();
        int slot = hit(assembler, R1);
        assembler.mov(R2, 0).callFunction(function, CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.load(Width.DOUBLE_WORD, R0, R10, slot + StreamHitLayout.SIZE_BYTES - Long.BYTES);
        return TestRun.spec(function, assembler.bind(ignored).exit());
    }

    /** The descriptor stands where a hit has its sequence. */
    private static ProgramSpec ofDescriptor(String function) {
        Assembler assembler = new Assembler();
        int slot = hit(assembler, R1);
        assembler.load(Width.DOUBLE_WORD, R2, R10, slot + StreamHitLayout.SIZE_BYTES - Long.BYTES);
        if (function.contains("read")) {
            assembler.mov(R1, R2);
        }
        return TestRun.spec(
                function, assembler.callFunction(function, CALLED_STACK_BYTES).exit());
    }

    @Test
    void aDescriptorIsADatabasesOnceAMessageToOneIsWritten() {
        long other = list(List.of(Buffer.of(ascii("HTTP/1.1 200 OK\r\n"))));
        long message = list(List.of(Buffer.of(messages().get(3))));
        int after = StreamBytesLayout.MAX_DESCRIPTORS;
        assertThat(ofDescriptor("may_write_to_database", other, 7)).isZero();
        assertThat(ofDescriptor("may_read_from_database", 0, 7)).isZero();
        assertThat(ofDescriptor("may_write_to_database", message, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_write_to_database", other, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 7)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 7 + after)).isEqualTo(1);
        assertThat(ofDescriptor("may_read_from_database", 0, 8)).isZero();
        assertThat(ofDescriptor("may_read_from_database", 0, -1)).isZero();
    }

    private static int ofDescriptor(String program, long buffers, long descriptor) {
        return TestRun.run(objects.program(program), 1, TGID, buffers, 1, -1, 0, RECEIVED, descriptor);
    }

    /** What the function returns is left in a map. */
    private static ProgramSpec storing(String function) {
        Assembler assembler = new Assembler();
        assembler.callFunction(function, CALLED_STACK_BYTES);
        assembler.loadMapValue(R1, map(Room.SMALL)).store(Width.DOUBLE_WORD, R1, 0, R0);
        return TestRun.spec(function, assembler.mov(R0, 0).exit());
    }

    private static ProgramSpec closing() {
        Assembler assembler = new Assembler();
        hit(assembler, R6);
        assembler.mov(R1, R6).callFunction("close_stream", CALLED_STACK_BYTES);
        assembler.loadMapValue(R1, map(Room.SMALL)).mov(R2, R6).mov(R3, Room.SMALL.number());
        return TestRun.spec(
                "close",
                assembler
                        .mov(R4, 0)
                        .callFunction("copy_read", CALLED_STACK_BYTES)
                        .mov(R0, 0)
                        .exit());
    }

    private static int run(String program, long stream, long tgid, long address, long length) {
        return run(program, stream, tgid, address, length, -1, 0);
    }

    private static int run(String program, long stream, long tgid, long address, long length, long taken, long only) {
        return TestRun.run(objects.program(program), stream, tgid, address, length, taken, only, RECEIVED, SEQUENCE);
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
        return copied(room, () -> run(program + map(room), 1, TGID, address, count));
    }

    /** What a run writes to a sample that has anything in its place before. */
    private static ByteBuffer copied(Room room, Runnable run) {
        BpfMap map = objects.map(map(room));
        ByteBuffer before = ByteBuffer.allocate(room.sizeBytes());
        Arrays.fill(before.array(), 0, StreamBytesLayout.HEADER_SIZE_BYTES, (byte) -1);
        map.update(BpfMap.key(0), before);
        run.run();
        return map.lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    private static boolean isMessage(Buffer first) {
        return isMessage(list(List.of(first)));
    }

    /** Of a stream that is not known. */
    private static boolean isMessage(long buffers) {
        int sequence = run("count_write", streams++, TGID, buffers, 1);
        assertThat(sequence).isBetween(0, 1);
        return sequence == 1;
    }

    private static Room room(long address, long count) {
        int number = run("room", 1, TGID, address, count);
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
        assertThat(isMessage(UNREADABLE)).isFalse();
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
    void hitsOfADatabaseAreNumberedUntilItsStreamIsClosed() {
        long stream = streams++;
        long message = list(List.of(Buffer.of(messages().get(0))));
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isZero();
        assertThat(run("count_write", stream, TGID, UNREADABLE, 1)).isZero();
        assertThat(run("count_write", stream, TGID, message, 1)).isEqualTo(1);
        assertThat(run("count_write", stream, TGID, UNREADABLE, 1)).isEqualTo(2);
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isEqualTo(3);
        assertThat(run("count_read", stream, TGID + 1, UNREADABLE, 0))
                .as("another process")
                .isZero();
        assertThat(run("count_read", stream + 1, TGID, UNREADABLE, 0)).isZero();

        assertThat(copied(Room.SMALL, () -> run("close", stream, TGID, UNREADABLE, 5)))
                .isEqualTo(expected(Room.SMALL, List.of(), 0).putLong(StreamBytesLayout.SEQUENCE_OFFSET, 0));
        assertThat(run("count_read", stream, TGID, UNREADABLE, 0)).isZero();
        assertThat(run("count_write", stream, TGID, message, 1)).isEqualTo(1);
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
            assertThat(copied("write_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of(), 5));
            assertThat(copied("steps_", room, UNREADABLE, 5)).isEqualTo(expected(room, List.of(), 5));
        }
        for (Room room : List.of(Room.SMALL, Room.LARGE)) {
            assertThat(copied("read_", room, UNREADABLE, 5000)).isEqualTo(expected(room, List.of(), 5000));
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
                            .isEqualTo(expected(room, buffers, buffers.size()));
                }
            }
        }
    }

    @Test
    void theEntryOfAWriteIsThatOfTheSameThread() throws InterruptedException {
        AtomicLong unknown = new AtomicLong(-1);
        Thread other = new Thread(() -> unknown.set(returned("entry_of_write")));
        for (int i = 0; i < 3; i++) {
            long before = ClockReading.monotonicNowNs();
            returned("enter_write");
            long after = ClockReading.monotonicNowNs();
            assertThat(returned("entry_of_write")).isBetween(before, after);
        }
        other.start();
        other.join();
        assertThat(unknown).hasValue(0);
    }

    private static long returned(String program) {
        TestRun.run(objects.program(program), 0);
        return objects.map(map(Room.SMALL))
                .lookup(BpfMap.key(0))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    /** What the kernel has not taken is written again: it is none of this write. */
    @Test
    void onlyWhatTheKernelHasTakenIsCopied() {
        List<Buffer> buffers = List.of(
                Buffer.of(ascii("first")), Buffer.of(ascii("second")), Buffer.unreadable(3), Buffer.of(ascii("last")));
        long address = list(buffers);
        for (long taken = 0; taken <= 18; taken++) {
            List<Buffer> expected = new ArrayList<>();
            long left = taken;
            for (Buffer buffer : buffers) {
                long length = Math.min(buffer.length, left);
                expected.add(new Buffer(buffer.address, length, buffer.bytes));
                left -= length;
            }
            for (String program : List.of("write_", "steps_")) {
                String name = program + map(Room.LARGE);
                long limit = taken;
                assertThat(copied(Room.LARGE, () -> run(name, 1, TGID, address, 4, limit, 0)))
                        .as("%s, %d taken", program, taken)
                        .isEqualTo(expected(Room.LARGE, expected, 4));
            }
        }
    }

    @Test
    void aWriteOfOneBufferHasItsBytesAtTheAddress() {
        Buffer buffer = Buffer.of(messages().get(0));
        long stream = streams++;
        int length = buffer.bytes.length;
        assertThat(run("count_write", stream, TGID, buffer.address, 1, -1, length))
                .isEqualTo(1);
        assertThat(run("room", stream, TGID, buffer.address, 1, -1, length)).isEqualTo(Room.SMALL.number());
        assertThat(run("room", stream, TGID, buffer.address, 1, -1, 513)).isEqualTo(Room.LARGE.number());
        for (Room room : Room.values()) {
            assertThat(copied(room, () -> run("write_" + map(room), stream, TGID, buffer.address, 1, -1, length)))
                    .isEqualTo(expected(room, List.of(buffer), 1));
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

    private static ByteBuffer expected(Room room, List<Buffer> buffers, long total) {
        int most = room == Room.SMALL ? 1 : room == Room.LARGE ? FEW_BUFFERS : MAX_BUFFERS;
        int mostBytes = room == Room.SMALL ? StreamBytesLayout.SMALL_BYTES : StreamBytesLayout.MAX_BUFFER_BYTES;
        ByteBuffer sample = ByteBuffer.allocate(room.sizeBytes())
                .order(ByteOrder.nativeOrder())
                .putLong(StreamBytesLayout.SEQUENCE_OFFSET, SEQUENCE)
                .putLong(StreamBytesLayout.TOTAL_OFFSET, total)
                .putLong(StreamBytesLayout.RECEIVED_OFFSET, RECEIVED);
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
                ByteBuffer expected = expected(room, List.of(), length);
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
