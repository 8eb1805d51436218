package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Run by the kernel (BPF_PROG_TEST_RUN): before Linux 6.4, an update of a map returns an error otherwise. */
@KernelTest(since = "5.10")
class PairingCodeTest {
    private static final String MAP = "open";
    private static final int MAX_OPEN = 4;
    private static final int PROBE = 1;

    private BpfObjects objects;

    @BeforeEach
    void load() {
        ProgramSpec program = TestRun.spec("put", put());
        objects = new ObjectsSpec(
                        List.of(
                                MapSpec.hash(MAP, Integer.BYTES, Long.BYTES, MAX_OPEN),
                                MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE))),
                        List.of(program))
                .load();
    }

    @AfterEach
    void unload() {
        objects.close();
    }

    /** The context is a key and a value. Its result is whether the value is stored. */
    private static Assembler put() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, TargetFilter.EVERY_PROCESS);
        int key = assembler.stackSlot(Long.BYTES);
        int value = assembler.stackSlot(Long.BYTES);
        int lossKey = assembler.stackSlot(Integer.BYTES);
        Label stored = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R2, R1, 0).store(Width.DOUBLE_WORD, R10, key, R2);
        assembler.load(Width.DOUBLE_WORD, R2, R1, Long.BYTES).store(Width.DOUBLE_WORD, R10, value, R2);
        new PairingCode(assembler, fragments, MAP, key, lossKey)
                .put(() -> assembler.mov(R3, R10).add(R3, value), ProbeNumber.constant(assembler, PROBE), stored);
        assembler.mov(R0, 0).exit();
        return assembler.bind(stored).mov(R0, 1).exit();
    }

    private boolean isStored(long key, long value) {
        return TestRun.run(objects.program("put"), key, value) != 0;
    }

    private long value(int key) {
        return objects.map(MAP)
                .lookup(BpfMap.key(key))
                .orElseThrow()
                .order(ByteOrder.nativeOrder())
                .getLong(0);
    }

    private long lost(LossReason reason) {
        return objects.map(MapNames.LOSSES).sumOfLongs(LossIndex.of(PROBE, reason));
    }

    @Test
    void whatIsOpenAlreadyIsCountedAndReplaced() {
        assertThat(isStored(7, 1)).isTrue();
        assertThat(isStored(7, 2)).isTrue();
        assertThat(value(7)).isEqualTo(2);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isEqualTo(1);
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isZero();
    }

    @Test
    void whatFindsNoRoomIsCounted() {
        for (int i = 0; i < MAX_OPEN + 3; i++) {
            assertThat(isStored(i, i)).isEqualTo(i < MAX_OPEN);
        }
        assertThat(lost(LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(3);
        assertThat(lost(LossReason.RETURN_NOT_SEEN)).isZero();
    }
}
