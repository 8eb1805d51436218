package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of histogram.bpf.c, run by the kernel (BPF_PROG_TEST_RUN), beside the same in Java. */
@KernelTest(since = "5.12")
class HistogramCodeTest {
    private static final String COUNTS = "counts";
    private static final String NUMBERS = "numbers";
    private static final String NEXT = "next";
    private static final String SUMS = "sums";
    private static final int KEYS = 3;
    private static final int RING_BYTES = 4096;
    private static final int TGID = 4711;

    private static final int KERNEL_DEPTH = 4;
    private static final int USER_DEPTH = 6;
    private static final int JAVASCRIPT_DEPTH = 3;
    private static final HistogramStackLayout STACKS =
            HistogramStackLayout.of("stacks", 0, new StackDepths(KERNEL_DEPTH, USER_DEPTH, JAVASCRIPT_DEPTH));
    private static final StackRoom ROOM = STACKS.sample().stacks();

    private static final long FIRST_MULTIPLIER = 0x9E3779B185EBCA87L;
    private static final long SECOND_MULTIPLIER = 0xC2B2AE3D27D4EB4FL;

    private BpfObjects objects;

    @BeforeEach
    void load() {
        List<MapSpec> maps = List.of(
                MapSpec.ringBuffer(MapNames.EVENTS, RING_BYTES),
                MapSpec.hash(COUNTS, Long.BYTES, Long.BYTES, KEYS),
                MapSpec.hash(NUMBERS, Long.BYTES, Integer.BYTES, KEYS),
                MapSpec.array(NEXT, Long.BYTES, 1),
                MapSpec.array(SUMS, HistogramSumsLayout.SIZE_BYTES, 1),
                MapSpec.array(STACKS.roomMap(), STACKS.roomSizeBytes(), HistogramStackLayout.ROOMS),
                MapSpec.hash(STACKS.sentMap(), HistogramStackLayout.KEY_SIZE_BYTES, Integer.BYTES, KEYS));
        objects = FunctionsInC.link(new ObjectsSpec(
                        maps,
                        List.of(
                                program("count_key", countKey()),
                                program("number_of_key", numberOfKey()),
                                program("add_signed", addValue(1)),
                                program("add_unsigned", addValue(0)),
                                program("take_room", takeRoom()),
                                program("hash_stacks", hashStacks()),
                                program("send_stack", sendStack()))))
                .load();
    }

    @AfterEach
    void unload() {
        objects.close();
    }

    private static ProgramSpec program(String name, Assembler assembler) {
        return TestRun.spec(name, assembler.exit());
    }

    /** R2 = the address of a key, which is the context's only word. */
    private static Assembler withKey() {
        Assembler assembler = new Assembler();
        int key = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R1, 0).store(Width.DOUBLE_WORD, R10, key, R1);
        return assembler.mov(R2, R10).add(R2, key);
    }

    private static Assembler countKey() {
        return withKey().loadMap(R1, COUNTS).callFunction("count_key", 32);
    }

    private static Assembler numberOfKey() {
        Assembler assembler = withKey().loadMap(R1, NUMBERS);
        return assembler.loadMapValue(R3, NEXT).mov(R4, KEYS).callFunction("number_of_key", 32);
    }

    /** The context is a bucket and a value. */
    private static Assembler addValue(int isSigned) {
        Assembler assembler = new Assembler().load(Width.DOUBLE_WORD, R2, R1, 0);
        assembler.load(Width.DOUBLE_WORD, R3, R1, 8).loadMapValue(R1, SUMS).mov(R4, isSigned);
        return assembler.callFunction("add_value", 32);
    }

    /** Its result is whether there was a room. */
    private static Assembler takeRoom() {
        Assembler assembler = new Assembler().loadMap(R1, STACKS.roomMap()).mov(R2, STACKS.busyOffset());
        Label none = assembler.newLabel();
        assembler.callFunction("take_room", 32).jumpIf(Condition.EQUAL, R0, 0, none);
        return assembler.mov(R0, 1).bind(none);
    }

    /** R1 = the first room. */
    private static Assembler firstRoom(Assembler assembler, Label none) {
        int index = assembler.stackSlot(Integer.BYTES);
        assembler.storeImmediate(Width.WORD, R10, index, 0).loadMap(R1, STACKS.roomMap());
        assembler.mov(R2, R10).add(R2, index).call(Helper.MAP_LOOKUP_ELEM);
        return assembler.jumpIf(Condition.EQUAL, R0, 0, none).mov(R1, R0);
    }

    private static Assembler hashStacks() {
        Assembler assembler = new Assembler();
        Label none = assembler.newLabel();
        firstRoom(assembler, none);
        assembler
                .mov(R2, KERNEL_DEPTH)
                .mov(R3, USER_DEPTH)
                .mov(R4, JAVASCRIPT_DEPTH)
                .mov(R5, 0);
        return assembler.callFunction("hash_stacks", 64).bind(none);
    }

    private static Assembler sendStack() {
        Assembler assembler = new Assembler();
        Label none = assembler.newLabel();
        firstRoom(assembler, none);
        assembler.loadMap(R2, STACKS.sentMap()).mov(R3, STACKS.sample().sizeBytes());
        return assembler.callFunction("send_stack", 32).bind(none);
    }

    private int run(String program, long... arguments) {
        return TestRun.run(objects.program(program), arguments);
    }

    private ByteBuffer value(String map) {
        return objects.map(map).lookup(BpfMap.key(0)).orElseThrow().order(ByteOrder.nativeOrder());
    }

    @Test
    void keysAreCountedAsLongAsThereIsRoom() {
        for (int round = 0; round < 5; round++) {
            for (int key = 0; key < KEYS; key++) {
                assertThat(run("count_key", key)).isZero();
            }
            assertThat(run("count_key", KEYS)).isEqualTo(1);
        }
        BpfMap counts = objects.map(COUNTS);
        for (long key = 0; key < KEYS; key++) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            ByteBuffer count = counts.lookup(bytes.putLong(0, key)).orElseThrow();
            assertThat(count.order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(5);
        }
    }

    @Test
    void keysAreNumberedAsLongAsThereIsRoom() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(run("number_of_key", 100 - i)).isEqualTo(i);
            }
            assertThat(run("number_of_key", 1)).isEqualTo(KEYS);
        }
    }

    @Test
    void numbersAreLeftOutThatTheMapHasNoRoomFor() {
        ByteBuffer next = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        for (int i = 0; i < KEYS; i++) {
            run("number_of_key", i);
        }
        objects.map(NEXT).update(BpfMap.key(0), next.putLong(0, 1));

        assertThat(run("number_of_key", KEYS)).isEqualTo(KEYS);
        assertThat(run("number_of_key", 2)).as("one that is known").isEqualTo(2);
    }

    @Test
    void sumsAndExtremesAreThoseOfAnyValues() {
        for (boolean isSigned : new boolean[] {true, false}) {
            objects.map(SUMS).update(BpfMap.key(0), ByteBuffer.allocate(HistogramSumsLayout.SIZE_BYTES));
            Random random = new Random(11);
            BigInteger sum = BigInteger.ZERO;
            List<BigInteger> values = new ArrayList<>();
            int hits = 2_000;
            for (int i = 0; i < hits; i++) {
                long value = random.nextLong() >> random.nextInt(Long.SIZE);
                BigInteger exact = isSigned ? BigInteger.valueOf(value) : new BigInteger(Long.toUnsignedString(value));
                sum = sum.add(exact);
                values.add(exact);
                assertThat(run(isSigned ? "add_signed" : "add_unsigned", Bucketing.FIRST, value))
                        .isZero();
            }
            assertThat(run("add_signed", Bucketing.UNREADABLE, 99)).isZero();

            ByteBuffer sums = value(SUMS);
            long flip = isSigned ? Long.MIN_VALUE : 0;
            assertThat(sums.getLong(HistogramSumsLayout.COUNT_OFFSET)).isEqualTo(hits + 1);
            BigInteger high = BigInteger.valueOf(sums.getLong(HistogramSumsLayout.HIGH_OFFSET));
            assertThat(high.shiftLeft(Integer.SIZE)
                            .add(BigInteger.valueOf(sums.getLong(HistogramSumsLayout.LOW_OFFSET))))
                    .isEqualTo(sum);
            assertThat(sums.getLong(HistogramSumsLayout.GREATEST_OFFSET) ^ flip)
                    .isEqualTo(Collections.max(values).longValue());
            assertThat(~sums.getLong(HistogramSumsLayout.LEAST_OFFSET) ^ flip)
                    .isEqualTo(Collections.min(values).longValue());
        }
    }

    @Test
    void roomIsOneProgramsUntilItIsLeft() {
        for (int i = 0; i < HistogramStackLayout.ROOMS; i++) {
            assertThat(run("take_room")).isEqualTo(1);
        }
        assertThat(run("take_room")).isZero();
        run("send_stack");
        assertThat(run("take_room")).isEqualTo(1);
        assertThat(run("take_room")).isZero();
    }

    @Test
    void stackIsSentOnce() {
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.EVENTS))) {
            run("take_room");
            setHash(1);
            assertThat(run("send_stack")).isZero();
            assertThat(run("send_stack")).isZero();
            List<Integer> sizes = new ArrayList<>();
            ring.poll((sample, at, length) -> sizes.add(length), Integer.MAX_VALUE);

            assertThat(sizes).containsExactly(STACKS.sample().sizeBytes());
            for (int hash = 2; hash <= KEYS; hash++) {
                setHash(hash);
                assertThat(run("send_stack")).isZero();
            }
            setHash(KEYS + 1);
            assertThat(run("send_stack")).as("no room for another one").isEqualTo(1);
        }
    }

    @Test
    void stackThatTheRingHasNoRoomForIsSentLater() {
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.EVENTS))) {
            int sent = 0;
            setHash(1);
            while (run("send_stack") == 0) {
                objects.map(STACKS.sentMap()).delete(hashKey(1));
                sent++;
            }
            assertThat(sent).isPositive();
            ring.poll((sample, at, length) -> {}, Integer.MAX_VALUE);
            assertThat(run("send_stack")).isZero();
            int[] again = {0};
            ring.poll((sample, at, length) -> again[0]++, Integer.MAX_VALUE);
            assertThat(again[0]).isEqualTo(1);
        }
    }

    private static ByteBuffer hashKey(long hash) {
        return ByteBuffer.allocate(HistogramStackLayout.KEY_SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(0, hash)
                .putLong(Long.BYTES, ~hash);
    }

    private void setHash(long hash) {
        ByteBuffer room = value(STACKS.roomMap());
        room.putLong(HistogramStackLayout.FIRST_HASH_OFFSET, hash);
        room.putLong(HistogramStackLayout.SECOND_HASH_OFFSET, ~hash);
        objects.map(STACKS.roomMap()).update(BpfMap.key(0), room);
    }

    /** The same hashes, of the words of a list. */
    private static long[] hash(List<Long> words) {
        long first = 0x165667B19E3779F9L;
        long second = 0x85EBCA77C2B2AE63L;
        for (long word : words) {
            first = (first ^ word) * FIRST_MULTIPLIER;
            first ^= first >>> 32;
            second = (second + word) * SECOND_MULTIPLIER;
            second ^= second >>> 29;
        }
        return new long[] {first, second};
    }

    private void assertHash(ByteBuffer room, List<Long> words) {
        objects.map(STACKS.roomMap()).update(BpfMap.key(0), room);
        run("hash_stacks");
        ByteBuffer hashed = value(STACKS.roomMap());
        assertThat(new long[] {
                    hashed.getLong(HistogramStackLayout.FIRST_HASH_OFFSET),
                    hashed.getLong(HistogramStackLayout.SECOND_HASH_OFFSET)
                })
                .as("of %s", words)
                .isEqualTo(hash(words));
    }

    /** Any addresses, counts and errors, those that are none among them. */
    @Test
    void hashIsThatOfTheWordsThatCount() {
        Random random = new Random(5);
        for (int round = 0; round < 2_000; round++) {
            ByteBuffer room = ByteBuffer.allocate(STACKS.roomSizeBytes()).order(ByteOrder.nativeOrder());
            for (int at = 0; at < room.capacity(); at += Long.BYTES) {
                room.putLong(at, random.nextInt(8) == 0 ? random.nextLong() : 0x5000_0000_0000L + random.nextInt());
            }
            room.putInt(EventLayout.TGID_OFFSET, TGID);
            int kernelBytes = bytes(random, KERNEL_DEPTH);
            int userBytes = bytes(random, USER_DEPTH);
            int entries = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(JAVASCRIPT_DEPTH + 1);
            room.putInt(ROOM.kernelBytesOffset(), kernelBytes).putInt(ROOM.userBytesOffset(), userBytes);
            room.putInt(ROOM.javaScript().offset() + JavaScriptRoom.COUNT_OFFSET, entries);

            List<Long> words = new ArrayList<>();
            addresses(room, ROOM.kernelFramesOffset(), kernelBytes, KERNEL_DEPTH, false, words);
            words.add((long) TGID);
            addresses(room, ROOM.userFramesOffset(), userBytes, USER_DEPTH, true, words);
            javaScript(room, entries, words);
            assertHash(room, words);
        }
    }

    private static int bytes(Random random, int depth) {
        return switch (random.nextInt(6)) {
            case 0 -> -14;
            case 1 -> random.nextInt() & -Long.BYTES;
            default -> random.nextInt(depth + 1) * Long.BYTES;
        };
    }

    private static void addresses(ByteBuffer room, int offset, int bytes, int depth, boolean isUser, List<Long> words) {
        int count = bytes < 0 || bytes > depth * Long.BYTES ? 0 : bytes / Long.BYTES;
        for (int i = 0; i < count; i++) {
            long address = room.getLong(offset + i * Long.BYTES);
            if (isUser ? address >>> 12 == 0 || address >>> 56 != 0 : address == 0) {
                return;
            }
            words.add(address);
        }
    }

    private static void javaScript(ByteBuffer room, int entries, List<Long> words) {
        int offset = ROOM.javaScript().offset();
        if (entries == 0) {
            return;
        }
        words.add(1L);
        words.add(room.getLong(offset + JavaScriptRoom.COUNT_OFFSET));
        words.add(room.getLong(offset + JavaScriptRoom.RELOCATIONS_OFFSET));
        int known = Integer.compareUnsigned(entries, JAVASCRIPT_DEPTH) < 0 ? entries : JAVASCRIPT_DEPTH;
        for (int i = 0; i < known * JavaScriptRoom.ENTRY_SIZE_BYTES; i += Long.BYTES) {
            words.add(room.getLong(offset + JavaScriptRoom.ENTRIES_OFFSET + i));
        }
    }
}
