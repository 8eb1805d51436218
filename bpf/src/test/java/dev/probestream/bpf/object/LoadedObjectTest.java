package dev.probestream.bpf.object;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.TestRun;
import dev.probestream.bpf.kernel.VerifierException;
import dev.probestream.bpf.machine.SystemName;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Objects of clang in the running kernel; the programs are run by BPF_PROG_TEST_RUN. */
@KernelTest(since = "5.17")
class LoadedObjectTest {
    @Test
    void variablesAreSharedWithTheProgram() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("variables");
        spec.variable("mode").set(1);
        spec.variable("start").set(-100);

        try (BpfObjects objects = spec.load()) {
            assertThat(TestRun.run(objects.program("add"), 50)).isEqualTo(50 * 3 * 2 - 100);
            assertThat(TestRun.run(objects.program("add"), 1)).isEqualTo(51 * 3 * 2 - 100);

            assertThat(spec.variable("sum").read(objects)).isEqualTo(306);
            assertThat(spec.variable("runs").read(objects)).isEqualTo(2);
            assertThat(spec.variable("small").read(objects)).isEqualTo(202);
            assertThat(TestRun.run(objects.program("compare"))).isZero();
        }
    }

    @Test
    void constantsAreFrozen() throws Exception {
        try (BpfObjects objects = ObjectFixture.spec("variables").load()) {
            BpfMap constants = objects.map(".rodata");
            ByteBuffer value = constants.lookup(BpfMap.key(0)).orElseThrow();

            assertThatThrownBy(() -> constants.update(BpfMap.key(0), value)).hasMessageContaining("EPERM");
            assertThat(constants.spec().flags() & MapSpec.BPF_F_RDONLY_PROG).isNotZero();
        }
    }

    @Test
    void eachLoadHasVariablesOfItsOwn() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("variables");
        try (BpfObjects one = spec.load();
                BpfObjects other = spec.load()) {
            TestRun.run(one.program("add"), 5);

            assertThat(spec.variable("sum").read(one)).isEqualTo(15);
            assertThat(spec.variable("sum").read(other)).isZero();
        }
    }

    @Test
    void subprogramsAndCallbacksRun() throws Exception {
        try (BpfObjects objects = ObjectFixture.spec("functions").load()) {
            assertThat(TestRun.run(objects.program("nested"), 7)).isEqualTo(15 * 100 + 13);
            assertThat(TestRun.run(objects.program("looped"), 4)).isEqualTo(45 + 8);
        }
    }

    @Test
    void mapsHaveTheirTypes() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("maps");
        spec.setMaxEntries("sized", 3);
        try (BpfObjects objects = spec.load()) {
            TestRun.run(objects.program("store"), 0x123456789L);

            ByteBuffer stored = objects.map("sized").lookup(BpfMap.key(1)).orElseThrow();
            assertThat(stored.order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(0x123456789L);
            try (Link link = objects.attach("count")) {
                assertThat(link).isNotNull();
            }
        }
    }

    @Test
    void fieldsAreWhereTheKernelHasThem() throws Exception {
        BtfFile kernel = BtfFile.ofKernel();
        try (BpfObjects objects = ObjectFixture.spec("core").load()) {
            assertThat(TestRun.run(objects.program("identity"))).isZero();
            assertThat(run(objects, "size_of_comm")).isEqualTo(16);
            assertThat(run(objects, "offset_of_comm"))
                    .isEqualTo(FieldPath.resolve(kernel, "task_struct.comm").offsetBytes());
            assertThat(run(objects, "offset_of_vruntime"))
                    .isEqualTo(
                            FieldPath.resolve(kernel, "task_struct.se.vruntime").offsetBytes());
            int task = kernel.typeId("task_struct", BtfKind.STRUCT).orElseThrow();
            assertThat(run(objects, "id_of_task")).isEqualTo(task);
            assertThat(run(objects, "size_of_task")).isEqualTo(kernel.storageBytes(task));
            assertThat(run(objects, "session")).isEqualTo(3); // PIDTYPE_SID of linux/pid_types.h
        }
    }

    @Test
    void whatTheKernelLacksIsFoundMissing() throws Exception {
        try (BpfObjects objects = ObjectFixture.spec("core").load()) {
            // The field, the type and the value that there are: bits 0, 2 and 4.
            assertThat(run(objects, "existence")).isEqualTo(1 + 4 + 16);
        }
    }

    @Test
    void externalsOfTheKernelAreResolved() throws Exception {
        try (BpfObjects objects = ObjectFixture.spec("externs").load()) {
            assertThat(run(objects, "version"))
                    .isEqualTo(KernelFacts.version(SystemName.read().release()));
        }
    }

    @Test
    void refusalShowsTheLineOfTheSource() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("refused");
        spec.exclude("missing_field");

        assertThatThrownBy(spec::load).isInstanceOfSatisfying(VerifierException.class, e -> {
            assertThat(e.sourceLine().orElse("")).startsWith("return numbers[ctx->args[0] & 0xff];");
            assertThat(e).hasMessageContaining("return numbers[ctx->args[0] & 0xff];");
            assertThat(e).hasMessageContaining("invalid variable-offset");
        });
    }

    @Test
    void refusalNamesTheFieldThatTheKernelLacks() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("refused");
        spec.exclude("out_of_bounds");

        assertThatThrownBy(spec::load)
                .isInstanceOf(VerifierException.class)
                .hasMessageContaining("this kernel has no field_byte_offset task_struct.no_such_field");
    }

    @Test
    void assembledProgramCallsFunctionsOfAnObject() throws Exception {
        Assembler adding = new Assembler();
        adding.mov(R1, 3).mov(R2, 4).callFunction("add_call", 64).exit();
        Assembler counting = new Assembler();
        // A function of its own, too.
        counting.mov(R1, 2)
                .loadFunction(R2, new Assembler().mov(R0, 0).exit().assemble())
                .mov(R3, 0)
                .mov(R4, 0)
                .call(Helper.LOOP);
        counting.mov(R1, 10).callFunction("count_call", 64).exit();
        Assembler alone = new Assembler();
        alone.mov(R0, 5).exit();

        try (BpfObjects objects = linked(adding, counting, alone).load()) {
            assertThat(run(objects, "program0")).isEqualTo(7);
            assertThat(run(objects, "program1")).isEqualTo(11);
            assertThat(run(objects, "program2")).isEqualTo(5);
            ByteBuffer calls = objects.map("calls").lookup(BpfMap.key(0)).orElseThrow();
            assertThat(calls.order(ByteOrder.nativeOrder()).getLong(0)).isEqualTo(11);
        }
    }

    @Test
    void laterProgramsUseTheMapsOfOthers() throws Exception {
        Assembler counting = new Assembler();
        counting.mov(R1, 2).callFunction("count_call", 64).exit();
        try (BpfObjects first = linked(counting).load()) {
            ObjectsSpec later = linked(counting);
            try (BpfObjects second =
                    new ObjectsSpec(List.of(), later.programs(), List.of(), later.types()).load(first.maps())) {
                assertThat(run(first, "program0")).isEqualTo(2);
                assertThat(run(second, "program0")).isEqualTo(4);
            }
        }
    }

    @Test
    void refusalOfALinkedFunctionShowsItsLine() throws Exception {
        Assembler far = new Assembler();
        far.storeImmediate(Width.DOUBLE_WORD, R10, far.stackSlot(Long.BYTES), 0);
        far.mov(R1, R10).add(R1, -Long.BYTES).callFunction("read_far", 64).exit();
        ObjectsSpec spec = linked(far);

        assertThatThrownBy(spec::load)
                .isInstanceOfSatisfying(
                        VerifierException.class,
                        e -> assertThat(e.sourceLine().orElse("")).startsWith("return room[70];"));
    }

    /** The programs program0, program1 ... with their map. */
    private static ObjectsSpec linked(Assembler... programs) throws Exception {
        List<ProgramSpec> assembled = new ArrayList<>();
        for (Assembler program : programs) {
            assembled.add(new ProgramSpec(
                    "program" + assembled.size(),
                    ProgramType.RAW_TRACEPOINT,
                    AttachType.NONE,
                    0,
                    0,
                    program.assemble()));
        }
        return ObjectFixture.spec("linked")
                .link(
                        new ObjectsSpec(List.of(MapSpec.array("calls", Long.BYTES, 1)), assembled),
                        "assembled_program",
                        KernelFacts.ofThisKernel());
    }

    private static int run(BpfObjects objects, String program) {
        return TestRun.run(objects.program(program));
    }
}
