package dev.probestream.collector.internal.program;

import static dev.probestream.bpf.asm.Register.R1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The functions of v8_relocations.bpf.c, run by the kernel (BPF_PROG_TEST_RUN). */
@KernelTest(since = "5.10")
class V8RelocationsCodeTest {
    private static final int TGID = 4711;
    private static final int MAX_MOVING = 2;

    private static BpfObjects objects;

    @BeforeAll
    static void load() {
        objects = FunctionsInC.link(new ObjectsSpec(
                        List.of(
                                MapSpec.hash(MapNames.V8_PROCESSES, Integer.BYTES, V8ProcessLayout.SIZE_BYTES, 1),
                                MapSpec.hash(MapNames.V8_MOVING, Integer.BYTES, Integer.BYTES, MAX_MOVING)),
                        List.of(program("begin_moving"), program("end_moving"), program("give_heap_back"))))
                .load();
    }

    @AfterAll
    static void unload() {
        objects.close();
    }

    @BeforeEach
    void isNew() {
        objects.map(MapNames.V8_PROCESSES).update(BpfMap.key(TGID), ByteBuffer.allocate(V8ProcessLayout.SIZE_BYTES));
        BpfMap moving = objects.map(MapNames.V8_MOVING);
        while (moving.firstKey().isPresent()) {
            moving.delete(moving.firstKey().get());
        }
    }

    /** The context has the ids of a thread. */
    private static ProgramSpec program(String function) {
        Assembler assembler = new Assembler().load(Width.DOUBLE_WORD, R1, R1, 0).callFunction(function, 64);
        return TestRun.spec(function, assembler.exit());
    }

    private void run(String function, int tgid, int tid) {
        TestRun.run(objects.program(function), (long) tgid << Integer.SIZE | tid);
    }

    private void run(String function, int tid) {
        run(function, TGID, tid);
    }

    private long count() {
        ByteBuffer value =
                objects.map(MapNames.V8_PROCESSES).lookup(BpfMap.key(TGID)).orElseThrow();
        return value.order(ByteOrder.nativeOrder()).getLong(V8ProcessLayout.RELOCATIONS_OFFSET);
    }

    private static long steps(long count) {
        return count * V8ProcessLayout.RELOCATION_STEP;
    }

    @Test
    void threadsThatMoveAreCountedUntilTheyEnd() {
        run("begin_moving", 1);
        assertThat(count()).isEqualTo(steps(1) + 1);
        run("begin_moving", 2);
        assertThat(count()).isEqualTo(steps(2) + 2);
        run("end_moving", 1);
        assertThat(count()).isEqualTo(steps(3) + 1);
        run("end_moving", 2);
        assertThat(count()).isEqualTo(steps(4));
        assertThat(V8ProcessLayout.isMoving(count())).isFalse();
    }

    @Test
    void endWithoutABeginIsAStepOnly() {
        run("end_moving", 1);

        assertThat(count()).isEqualTo(steps(1));
    }

    @Test
    void secondBeginOfAThreadIsAStepOnly() {
        run("begin_moving", 1);
        run("begin_moving", 1);
        run("end_moving", 1);

        assertThat(count()).isEqualTo(steps(3));
    }

    @Test
    void threadsBeyondTheRoomAreSteps() {
        for (int tid = 1; tid <= MAX_MOVING + 1; tid++) {
            run("begin_moving", tid);
        }
        for (int tid = 1; tid <= MAX_MOVING + 1; tid++) {
            run("end_moving", tid);
        }

        assertThat(count()).isEqualTo(steps(2 * (MAX_MOVING + 1)));
    }

    @Test
    void heapThatIsGivenBackIsAStep() {
        run("give_heap_back", 1);

        assertThat(count()).isEqualTo(steps(1));
    }

    @Test
    void otherProcessesDoNotCount() {
        run("begin_moving", TGID + 1, 1);
        run("end_moving", TGID + 1, 1);
        run("give_heap_back", TGID + 1, 1);

        assertThat(count()).isZero();
    }
}
