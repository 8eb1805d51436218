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
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The functions of spans.bpf.c, run by the kernel (BPF_PROG_TEST_RUN): before Linux 6.4, an update of a map returns an error
 * otherwise.
 */
@KernelTest(since = "5.10")
class SpansCodeTest {
    private static final String OPEN = "open";
    private static final int MAX_OPEN = 4;
    private static final int PROBE = 1;
    private static final int RING_BYTES = 4096;
    private static final int LARGE_BYTES = 600;

    private BpfObjects objects;

    @BeforeEach
    void load() {
        List<MapSpec> maps = List.of(
                MapSpec.ringBuffer(MapNames.EVENTS, RING_BYTES),
                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)),
                MapSpec.array(MapNames.ZERO, LARGE_BYTES, 1),
                MapSpec.hash(OPEN, Long.BYTES, LARGE_BYTES, MAX_OPEN),
                MapSpec.hash("small", Long.BYTES, Long.BYTES, MAX_OPEN));
        List<ProgramSpec> programs =
                List.of(beginning(), beginningLarge(), rejecting("small"), rejecting(OPEN), ending());
        objects = FunctionsInC.link(new ObjectsSpec(maps, programs)).load();
    }

    @AfterEach
    void unload() {
        objects.close();
    }

    /** Copies a word of the context to the stack, and leaves its address in a register. */
    private static void word(Assembler assembler, int index, Register address) {
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R0, R6, index * Long.BYTES).store(Width.DOUBLE_WORD, R10, slot, R0);
        assembler.mov(address, R10).add(address, slot);
    }

    /** The context is a key and a value. */
    private static ProgramSpec beginning() {
        Assembler assembler = new Assembler().mov(R6, R1);
        word(assembler, 0, R2);
        word(assembler, 1, R3);
        assembler.loadMap(R1, "small").mov(R4, PROBE).callFunction("begin_span", 32);
        return TestRun.spec("begin", assembler.exit());
    }

    /** The context is a key and what the first word of the entry becomes. The result is whether the rest is zeros. */
    private static ProgramSpec beginningLarge() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label done = assembler.newLabel();
        word(assembler, 0, R2);
        assembler.loadMap(R1, OPEN).mov(R3, PROBE).callFunction("begin_large_span", 32);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.load(Width.DOUBLE_WORD, R1, R6, Long.BYTES).store(Width.DOUBLE_WORD, R0, 0, R1);
        return TestRun.spec("begin_large", assembler.mov(R0, 1).bind(done).exit());
    }

    /** The context is a key. */
    private static ProgramSpec rejecting(String map) {
        Assembler assembler = new Assembler().mov(R6, R1);
        word(assembler, 0, R2);
        assembler.loadMap(R1, map).mov(R3, PROBE).callFunction("reject_span", 32);
        return TestRun.spec("reject_" + map, assembler.exit());
    }

    /** The context is a key, which becomes the sample. */
    private static ProgramSpec ending() {
        Assembler assembler = new Assembler().mov(R6, R1);
        Label full = assembler.newLabel();
        assembler.loadMap(R1, MapNames.EVENTS).mov(R2, Long.BYTES).mov(R3, 0);
        assembler.call(Helper.RINGBUF_RESERVE).jumpIf(Condition.EQUAL, R0, 0, full);
        assembler
                .load(Width.DOUBLE_WORD, R1, R6, 0)
                .store(Width.DOUBLE_WORD, R0, 0, R1)
                .mov(R3, R0);
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1).mov(R2, R10).add(R2, slot);
        assembler.loadMap(R1, "small").callFunction("end_shared_span", 32);
        return TestRun.spec("end", assembler.bind(full).mov(R0, 0).exit());
    }

    private int run(String program, long... context) {
        return TestRun.run(objects.program(program), context);
    }

    private static ByteBuffer key(long key) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, key);
    }

    private Optional<Long> first(String map, long key) {
        return objects.map(map)
                .lookup(key(key))
                .map(value -> value.order(ByteOrder.nativeOrder()).getLong(0));
    }

    private long lost(LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, reason));
    }

    @Test
    void whatIsOpenAlreadyIsCountedAndReplaced() {
        run("begin", 7, 1);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isZero();
        run("begin", 7, 2);
        assertThat(first("small", 7)).hasValue(2L);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isEqualTo(1);
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isZero();
    }

    @Test
    void whatFindsNoRoomIsCounted() {
        for (int i = 0; i < MAX_OPEN + 3; i++) {
            run("begin", i, i);
            assertThat(first("small", i).isPresent()).isEqualTo(i < MAX_OPEN);
        }
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isZero();
    }

    @Test
    void largeEntryBeginsAsZeros() {
        ByteBuffer zeros = ByteBuffer.allocate(LARGE_BYTES);
        ByteBuffer dirty = ByteBuffer.allocate(LARGE_BYTES);
        while (dirty.hasRemaining()) {
            dirty.put((byte) -1);
        }
        objects.map(OPEN).update(key(5), dirty.flip());
        assertThat(run("begin_large", 5, 0)).isEqualTo(1);
        assertThat(objects.map(OPEN).lookup(key(5))).hasValue(zeros);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isEqualTo(1);
        for (int i = 0; i < MAX_OPEN + 3; i++) {
            assertThat(run("begin_large", 100 + i, i)).isEqualTo(i < MAX_OPEN - 1 ? 1 : 0);
        }
        assertThat(first(OPEN, 102)).hasValue(2L);
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(4);
    }

    @Test
    void beginningThatIsRejectedDropsWhatIsOpen() {
        run("reject_small", 3);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isZero();
        run("begin", 3, 1);
        run("begin_large", 3, 1);
        run("reject_small", 3);
        run("reject_" + OPEN, 3);
        assertThat(first("small", 3)).isEmpty();
        assertThat(first(OPEN, 3)).isEmpty();
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isEqualTo(2);
    }

    @Test
    void spanIsSentByTheFirstOfItsEnds() {
        run("begin", 9, 1);
        run("end", 9);
        run("end", 9);
        run("end", 10);
        assertThat(sent()).containsExactly(9L);
        for (int i = 0; i < RING_BYTES; i++) {
            run("end", 9);
        }
        assertThat(sent()).as("what is discarded takes no room").isEmpty();
        run("begin", 11, 1);
        run("end", 11);
        assertThat(sent()).containsExactly(11L);
    }

    /** What was sent since it was asked last. */
    private List<Long> sent() {
        List<Long> sent = new ArrayList<>();
        try (RingBuffer ring = RingBuffer.map(objects.map(MapNames.EVENTS))) {
            ring.poll((sample, at, length) -> sent.add(sample.getLong(at)), Integer.MAX_VALUE);
        }
        return sent;
    }

    /** Any keys and values, in any order, beside a map of Java. */
    @Test
    void anyOrderOfBeginsAndEndsIsThatOfAMap() {
        Random random = new Random(9);
        Map<Long, Long> open = new HashMap<>();
        long notSeen = 0;
        long tooMany = 0;
        for (int i = 0; i < 3_000; i++) {
            long key = random.nextInt(7) - 3L;
            long value = random.nextLong();
            switch (random.nextInt(5)) {
                case 0 -> {
                    run("end", key);
                    assertThat(sent()).isEqualTo(open.remove(key) == null ? List.of() : List.of(key));
                }
                case 1 -> {
                    run("reject_small", key);
                    notSeen += open.remove(key) == null ? 0 : 1;
                }
                default -> {
                    run("begin", key, value);
                    boolean isNew = !open.containsKey(key);
                    notSeen += isNew ? 0 : 1;
                    if (isNew && open.size() == MAX_OPEN) {
                        tooMany++;
                    } else {
                        open.put(key, value);
                    }
                }
            }
            assertThat(first("small", key)).isEqualTo(Optional.ofNullable(open.get(key)));
        }
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isEqualTo(notSeen);
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(tooMany).isPositive();
    }
}
