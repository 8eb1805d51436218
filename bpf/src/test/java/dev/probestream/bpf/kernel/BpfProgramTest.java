package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

@KernelTest(since = "5.10")
class BpfProgramTest {
    @Test
    void rejectedProgramIsNamedWithTheVerifiersLastLines() {
        Assembler readsNothing = new Assembler().mov(Register.R0, Register.R2).exit();

        VerifierException rejection = catchThrowableOfType(
                VerifierException.class, () -> BpfProgram.load(spec("reads_nothing", readsNothing), Map.of()));

        assertThat(rejection)
                .hasMessageStartingWith("load program reads_nothing: EACCES (the verifier rejects it)\n")
                .hasMessageEndingWith("R2 !read_ok");
        assertThat(rejection.programName()).isEqualTo("reads_nothing");
        assertThat(rejection.log()).contains("R2 !read_ok").contains("processed 1 insns");
    }

    @Test
    void reasonIsFoundAlsoAtTheEndOfALogOfMegabytes() {
        // Each branch makes the verifier walk the rest once more and log it, until the bad read ends it.
        Assembler program = new Assembler()
                .load(Width.DOUBLE_WORD, Register.R6, Register.R1, 0)
                .mov(Register.R0, 0);
        for (int i = 0; i < 30_000; i++) {
            program.add(Register.R0, 1).xor(Register.R0, Register.R6);
        }
        program.mov(Register.R0, Register.R5).exit();

        VerifierException rejection = catchThrowableOfType(
                VerifierException.class, () -> BpfProgram.load(spec("long_log", program), Map.of()));

        assertThat(rejection).hasMessageEndingWith("R5 !read_ok");
        assertThat(rejection.log().length()).isGreaterThan(1 << 20);
    }

    @Test
    void missingMapIsNamedBeforeTheKernelIsAsked() {
        Assembler program = new Assembler()
                .loadMap(Register.R1, "events")
                .mov(Register.R0, 0)
                .exit();

        assertThatThrownBy(() -> BpfProgram.load(spec("mapless", program), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("program mapless loads map events, but was given only []");
    }

    @Test
    void tracingProgramWithoutAnAttachPointIsRejectedByTheVerifier() {
        ProgramSpec spec = new ProgramSpec(
                "strange",
                ProgramType.TRACING,
                AttachType.NONE,
                0,
                0,
                returnsZero().assemble());

        assertThatThrownBy(() -> BpfProgram.load(spec, Map.of()))
                .isInstanceOf(VerifierException.class)
                .hasMessage("load program strange: EINVAL (the verifier rejects it)\n"
                        + "    Tracing programs must provide btf_id");
    }

    @Test
    void failedLoadsLeaveNothingBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (BpfMap map = BpfMap.create(MapSpec.array("failmap", 8, 1))) {
            Assembler program = new Assembler()
                    .loadMap(Register.R1, "failmap")
                    .mov(Register.R0, Register.R9)
                    .exit();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> BpfProgram.load(spec("failprog", program), Map.of("failmap", map)))
                        .isInstanceOf(VerifierException.class);
            }
        }

        assertThat(HeldKernelObjects.held()).isEqualTo(before);
        HeldKernelObjects.awaitGone("fail");
    }

    @Test
    void loadedProgramIsListedUntilItIsClosed() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (BpfProgram program = BpfProgram.load(spec("listed-prog", returnsZero()), Map.of())) {
            assertThat(HeldKernelObjects.named("listed_prog")).containsExactly("listed_prog");
            assertThat(program.id()).isPositive();
            assertThat(program.recursionMisses()).isZero();
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
        HeldKernelObjects.awaitGone("listed_prog");
    }

    @Test
    void mapMayBeClosedBeforeTheProgramThatUsesIt() {
        Assembler program = new Assembler();
        int key = program.stackSlot(4);
        var missing = program.newLabel();
        program.storeImmediate(Width.WORD, Register.R10, key, 0)
                .mov(Register.R2, Register.R10)
                .add(Register.R2, key)
                .loadMap(Register.R1, "lasting")
                .call(Helper.MAP_LOOKUP_ELEM)
                .jumpIf(Condition.EQUAL, Register.R0, 0, missing)
                .load(Width.DOUBLE_WORD, Register.R0, Register.R0, 0)
                .bind(missing)
                .exit();
        BpfMap map = BpfMap.create(MapSpec.array("lasting", 8, 1));
        map.update(BpfMap.key(0), ByteBuffer.allocate(8).put(0, (byte) 77));
        try (BpfProgram loaded = BpfProgram.load(spec("uses_lasting", program), Map.of("lasting", map))) {
            map.close();

            assertThat(TestRun.run(loaded)).isEqualTo(77);
        }
        HeldKernelObjects.awaitGone("lasting");
    }

    @Test
    void refusalBeforeVerificationIsASystemCallsRefusal() {
        ProgramSpec unknownFlags = new ProgramSpec(
                "flagged",
                ProgramType.RAW_TRACEPOINT,
                AttachType.NONE,
                1 << 30,
                0,
                returnsZero().assemble());

        assertThatThrownBy(() -> BpfProgram.load(unknownFlags, Map.of()))
                .isInstanceOf(SyscallException.class)
                .hasMessage("load program flagged (RAW_TRACEPOINT, 2 instructions): EINVAL (this kernel does not know"
                        + " the program's type, attach type or flags; run 'doctor')");
    }

    private static Assembler returnsZero() {
        return new Assembler().mov(Register.R0, 0).exit();
    }

    private static ProgramSpec spec(String name, Assembler program) {
        return new ProgramSpec(name, ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, program.assemble());
    }
}
