package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Runs the functions of stream_bytes.bpf.c in the kernel over bytes of this process (BPF_PROG_TEST_RUN). The values of the maps are as large as the
 * rooms of samples: the verifier shows that nothing is written behind.
 */
abstract class StreamFunctions {

    /** Nothing of the process is there. */
    static final long UNREADABLE = 8;

    static final int FEW_BUFFERS = 8;
    static final int MAX_BUFFERS = 256;

    static final int CALLED_STACK_BYTES = 96;
    static final int TGID = 4711;
    static final long RECEIVED = 123_456;
    static final long SEQUENCE = 0x1122_3344_5566_7788L;

    static BpfObjects objects;
    static long streams = 0x7fff_0000_0000L;

    /** As uv_buf_t, with its bytes as far as they can be read. */
    static final class Buffer {
        final long address;
        final long length;
        final byte[] bytes;

        Buffer(long address, long length, byte[] bytes) {
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
    static final List<NativeMemory> MEMORY = new ArrayList<>();

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

    static String map(Room room) {
        return room.name().toLowerCase(Locale.ROOT).replace("_buffers", "");
    }

    /** The context is a hit, which is copied to the stack. Leaves its place in a register. */
    static int hit(Assembler assembler, Register address) {
        int slot = assembler.stackSlot(StreamHitLayout.SIZE_BYTES);
        for (int i = 0; i < StreamHitLayout.SIZE_BYTES; i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R0, R1, i).store(Width.DOUBLE_WORD, R10, slot + i, R0);
        }
        assembler.mov(address, R10).add(address, slot);
        return slot;
    }

    static ProgramSpec copying(String name, String function, Room room) {
        Assembler assembler = new Assembler();
        hit(assembler, R2);
        assembler.loadMapValue(R1, map(room)).mov(R3, room.number()).mov(R4, 0);
        return TestRun.spec(
                name,
                assembler.callFunction(function, CALLED_STACK_BYTES).mov(R0, 0).exit());
    }

    static ProgramSpec room() {
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
    static ProgramSpec counting(String function) {
        Assembler assembler = new Assembler();
        Label ignored = assembler.newLabel();
        int slot = hit(assembler, R1);
        assembler.mov(R2, 0).callFunction(function, CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.load(Width.DOUBLE_WORD, R0, R10, slot + StreamHitLayout.SIZE_BYTES - Long.BYTES);
        return TestRun.spec(function, assembler.bind(ignored).exit());
    }

    /** The descriptor stands where a hit has its sequence. */
    static ProgramSpec ofDescriptor(String function) {
        Assembler assembler = new Assembler();
        int slot = hit(assembler, R1);
        assembler.load(Width.DOUBLE_WORD, R2, R10, slot + StreamHitLayout.SIZE_BYTES - Long.BYTES);
        if (function.contains("read")) {
            assembler.mov(R1, R2);
        }
        return TestRun.spec(
                function, assembler.callFunction(function, CALLED_STACK_BYTES).exit());
    }

    /** What the function returns is left in a map. */
    static ProgramSpec storing(String function) {
        Assembler assembler = new Assembler();
        assembler.callFunction(function, CALLED_STACK_BYTES);
        assembler.loadMapValue(R1, map(Room.SMALL)).store(Width.DOUBLE_WORD, R1, 0, R0);
        return TestRun.spec(function, assembler.mov(R0, 0).exit());
    }

    static ProgramSpec closing() {
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

    static int run(String program, long stream, long tgid, long address, long length) {
        return run(program, stream, tgid, address, length, -1, 0);
    }

    static int run(String program, long stream, long tgid, long address, long length, long taken, long only) {
        return TestRun.run(objects.program(program), stream, tgid, address, length, taken, only, RECEIVED, SEQUENCE);
    }

    static long list(List<Buffer> buffers) {
        long[] pairs = new long[2 * buffers.size()];
        for (int i = 0; i < buffers.size(); i++) {
            pairs[2 * i] = buffers.get(i).address;
            pairs[2 * i + 1] = buffers.get(i).length;
        }
        NativeMemory memory = NativeMemory.ofLongs(pairs);
        MEMORY.add(memory);
        return memory.lend(address -> address);
    }

    /** What a run writes to a sample that has anything in its place before. */
    static ByteBuffer copied(Room room, Runnable run) {
        BpfMap map = objects.map(map(room));
        ByteBuffer before = ByteBuffer.allocate(room.sizeBytes());
        Arrays.fill(before.array(), 0, StreamBytesLayout.HEADER_SIZE_BYTES, (byte) -1);
        map.update(BpfMap.key(0), before);
        run.run();
        return map.lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What begins like a message of a client to a database. */
    static List<byte[]> messages() {
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

    static ByteBuffer expected(Room room, List<Buffer> buffers, long total) {
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
}
