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

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.StreamHitLayout;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Runs the functions in C that follow the frames of WebSocket on bytes of a test. */
abstract class WebSocketFunctions {
    private static final int CALLED_STACK_BYTES = 128;
    static final int PROBE = 3;
    static final int MAX_CONNECTIONS = 4;
    static final int RING_BYTES = 4096;
    static final long STREAM = 0x7fff_1234_5670L;
    private static final int TGID = 4711;
    static final int TEXT = 0x81;
    static BpfObjects objects;

    boolean hasLoops = true;
    /** Of the programs that are run. */
    String layer = "";

    /** Which way bytes go: those that are received are read as one buffer. */
    enum Direction {
        SENT(WebSocketLayout.SENT_OFFSET),
        RECEIVED(WebSocketLayout.RECEIVED_OFFSET);

        final int offset;

        Direction(int offset) {
            this.offset = offset;
        }
    }

    /** What is known of a direction. */
    record Count(long messages, long bytes, boolean isLost) {}

    @BeforeAll
    static void load() {
        List<ProgramSpec> programs = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            for (boolean hasLoops : new boolean[] {false, true}) {
                programs.add(passing(name(direction, hasLoops), direction, hasLoops, false));
            }
            programs.add(passing(name(direction, true) + "_tls", direction, true, true));
        }
        programs.add(closing());
        List<MapSpec> maps = List.of(
                MapSpec.ringBuffer(MapNames.EVENTS, RING_BYTES),
                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)),
                MapSpec.array(MapNames.ZERO, WebSocketLayout.SIZE_BYTES, 1),
                MapSpec.hash(
                        MapNames.WEB_SOCKETS,
                        StreamBytesLayout.KEY_SIZE_BYTES,
                        WebSocketLayout.SIZE_BYTES,
                        MAX_CONNECTIONS));
        objects = FunctionsInC.link(new ObjectsSpec(maps, programs)).load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void isNew() {
        begin(false);
    }

    static String name(Direction direction, boolean hasLoops) {
        return direction.name().toLowerCase(Locale.ROOT) + (hasLoops ? "_loops" : "");
    }

    /** The context is a hit, which is copied to the stack. Leaves its address in a register. */
    static void hit(Assembler assembler) {
        int slot = assembler.stackSlot(StreamHitLayout.SIZE_BYTES);
        for (int i = 0; i < StreamHitLayout.SIZE_BYTES; i += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R0, R1, i).store(Width.DOUBLE_WORD, R10, slot + i, R0);
        }
        assembler.mov(R6, R10).add(R6, slot);
    }

    /** The result is whether the bytes begin with an answer of status 101 that upgrades to something else. */
    static ProgramSpec passing(String name, Direction direction, boolean hasLoops, boolean isTls) {
        Assembler assembler = new Assembler();
        String suffix = hasLoops ? "" : "_without_loops";
        Label known = assembler.newLabel();
        Label other = assembler.newLabel();
        Label done = assembler.newLabel();
        hit(assembler);
        int write = direction == Direction.SENT ? 1 : 0;
        assembler
                .mov(R1, R6)
                .mov(R2, PROBE)
                .mov(R3, write)
                .mov(R4, isTls ? 1 : 0)
                .mov(R5, 0);
        assembler.callFunction("find_web_socket", CALLED_STACK_BYTES).jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.mov(R7, R0).load(Width.DOUBLE_WORD, R1, R7, EventLayout.TIMESTAMP_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, known);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.TIMESTAMP_OFFSET, 1);
        call(assembler, "begin_web_socket" + suffix, write).jumpIf(Condition.EQUAL, R0, 0, other);
        call(assembler.bind(known), "follow_frames" + suffix, write);
        return TestRun.spec(
                name,
                assembler.mov(R0, 0).bind(done).exit().bind(other).mov(R0, 1).exit());
    }

    static Assembler call(Assembler assembler, String function, int write) {
        assembler.mov(R1, R7).mov(R2, R6).mov(R3, write).mov(R4, 0);
        return assembler.callFunction(function, CALLED_STACK_BYTES);
    }

    static ProgramSpec closing() {
        Assembler assembler = new Assembler();
        hit(assembler);
        assembler.mov(R1, R6).mov(R2, PROBE).callFunction("close_web_socket", CALLED_STACK_BYTES);
        return TestRun.spec("close", assembler.exit());
    }

    static ByteBuffer key(long stream) {
        return ByteBuffer.allocate(StreamBytesLayout.KEY_SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(0, stream)
                .putInt(StreamBytesLayout.KEY_TGID_OFFSET, TGID);
    }

    /** No connection is known. */
    static void clear() {
        BpfMap sockets = objects.map(MapNames.WEB_SOCKETS);
        for (var found = sockets.firstKey(); found.isPresent(); found = sockets.firstKey()) {
            sockets.delete(found.get());
        }
    }

    static void begin(boolean isMasked) {
        ByteBuffer value = ByteBuffer.allocate(WebSocketLayout.SIZE_BYTES).order(ByteOrder.nativeOrder());
        value.putLong(EventLayout.TIMESTAMP_OFFSET, 1);
        for (Direction direction : Direction.values()) {
            value.putLong(direction.offset + WebSocketLayout.IS_MASKED_OFFSET, isMasked ? 1 : 0);
        }
        objects.map(MapNames.WEB_SOCKETS).update(key(STREAM), value);
    }

    /**
     * One write of these buffers, or a reading of all.
     *
     * @param isAnswer of a connection that is not known
     * @return 0 = it is a connection now, 1 = they begin with no answer that upgrades, 2 = it upgrades to something else
     */
    int pass(Direction direction, boolean isAnswer, byte[]... buffers) {
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

    int run(Direction direction, long address, long count, boolean isAnswer) {
        if (isAnswer) {
            clear();
        }
        boolean isOther = run(name(direction, hasLoops) + layer, STREAM, address, count) != 0;
        boolean isKnown = objects.map(MapNames.WEB_SOCKETS).lookup(key(STREAM)).isPresent();
        return isKnown ? 0 : isOther ? 2 : 1;
    }

    static int run(String program, long stream, long address, long count) {
        return TestRun.run(objects.program(program), stream, TGID, address, count, -1, 0, -1, 0);
    }

    static ByteBuffer value() {
        return objects.map(MapNames.WEB_SOCKETS)
                .lookup(key(STREAM))
                .orElseThrow()
                .order(ByteOrder.nativeOrder());
    }

    static Count counted(Direction direction) {
        ByteBuffer value = value();
        return new Count(
                value.getLong(direction.offset + WebSocketLayout.MESSAGES_OFFSET),
                value.getLong(direction.offset + WebSocketLayout.BYTES_OFFSET),
                value.getLong(direction.offset + WebSocketLayout.IS_LOST_OFFSET) != 0);
    }

    static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] frame(int first, boolean isMasked, byte[] payload) {
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

    static byte[] text(int lengthBytes) {
        return frame(TEXT, false, new byte[lengthBytes]);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
