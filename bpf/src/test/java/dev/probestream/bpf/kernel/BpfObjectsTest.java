package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.map.MapSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class BpfObjectsTest {
    private static final MapSpec MAP = MapSpec.array("objects_map", 8, 1);

    @Test
    @KernelTest(since = "5.10")
    void mapsAndProgramsAreFoundByNameUntilTheyAreClosed() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        ProgramSpec program = rawTracepoint("objects_prog", usesMap().mov(Register.R0, 0));
        try (BpfObjects objects = new ObjectsSpec(List.of(MAP), List.of(program)).load()) {
            assertThat(objects.map("objects_map").spec()).isEqualTo(MAP);
            assertThat(objects.program("objects_prog").spec()).isEqualTo(program);
            assertThatThrownBy(() -> objects.map("objects_prog"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no map objects_prog, only [objects_map]");
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    @KernelTest(since = "5.10")
    void rejectedProgramClosesWhatWasOpenedBeforeIt() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        ProgramSpec good = rawTracepoint("objects_good", usesMap().mov(Register.R0, 0));
        ProgramSpec bad = rawTracepoint("objects_bad", usesMap().mov(Register.R0, Register.R9));

        assertThatThrownBy(() -> new ObjectsSpec(List.of(MAP), List.of(good, bad)).load())
                .isInstanceOf(VerifierException.class)
                .hasMessageContaining("objects_bad");
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    void twoMapsWithOneNameAreRefused() {
        assertThatThrownBy(() -> new ObjectsSpec(List.of(MAP, MAP), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two maps have the name objects_map");
    }

    private static Assembler usesMap() {
        return new Assembler().loadMap(Register.R1, "objects_map");
    }

    private static ProgramSpec rawTracepoint(String name, Assembler body) {
        return new ProgramSpec(
                name,
                ProgramType.RAW_TRACEPOINT,
                AttachType.NONE,
                0,
                0,
                body.exit().assemble());
    }
}
