package dev.probestream.bpf.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.CompiledCode.FunctionStart;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectFileTest {
    private static final KernelFacts NO_TYPES = new KernelFacts(Optional.empty(), 0, 4);

    @TempDir
    private Path folder;

    @Test
    void linkingNeedsTheFunctionsThatAreCalled() throws Exception {
        ObjectsSpec calling =
                assembled(new Assembler().callFunction("no_such", 64).exit());
        ObjectsSpec good = assembled(new Assembler()
                .mov(Register.R1, 1)
                .callFunction("count_call", 64)
                .exit());
        ObjectSpec linked = ObjectFixture.spec("linked");

        assertThatThrownBy(() -> linked.link(calling, "assembled_program", NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("there is no function no_such");
        assertThatThrownBy(() -> linked.link(good, "no_such", NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("there is no function no_such");
        assertThatThrownBy(() -> ObjectFixture.spec("variables").link(good, "assembled_program", NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("functions to be linked can have no variables");
    }

    @Test
    void linkedProgramCallsWhatStandsBehindIt() throws Exception {
        ObjectsSpec spec = assembled(new Assembler()
                .mov(Register.R1, 1)
                .callFunction("count_call", 64)
                .exit());

        ObjectsSpec linked = ObjectFixture.spec("linked").link(spec, "assembled_program", NO_TYPES);

        ProgramSpec program = linked.programs().get(0);
        assertThat(program.instructions().get(1)).hasToString("call pc+1");
        assertThat(program.compiled().functions())
                .extracting(FunctionStart::instruction)
                .containsExactly(0, 3);
        assertThat(program.compiled().lines().get(0).instruction()).isZero();
        assertThat(program.compiled().license()).isEmpty();
        assertThat(linked.types()).isNotEmpty();
        assertThat(linked.maps()).isEmpty();
    }

    private static ObjectsSpec assembled(Assembler program) {
        return new ObjectsSpec(
                List.of(),
                List.of(new ProgramSpec(
                        "program", ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, program.assemble())));
    }

    @Test
    void mapsAreReadFromTheirTypes() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("maps");
        spec.setMaxEntries("sized", 7);
        spec.exclude("count");

        ObjectsSpec objects = spec.resolve(NO_TYPES);

        assertThat(objects.maps()).extracting(MapSpec::name).containsExactly("sized", "ring", "counters");
        assertThat(objects.maps().get(2).type()).isEqualTo(MapType.TASK_STORAGE);
        assertThat(objects.maps().get(2).valueSizeBytes()).isEqualTo(4);
        assertThat(objects.maps().get(2).valueTypeId()).isPositive();
        assertThat(objects.maps().get(0))
                .isEqualTo(new MapSpec("sized", MapType.HASH, 4, 8, 7, MapSpec.BPF_F_NO_PREALLOC));
        assertThat(objects.maps().get(1)).isEqualTo(MapSpec.ringBuffer("ring", 4096));
    }

    @Test
    void mapWithoutASizeNeedsOne() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("maps");
        spec.exclude("count");

        assertThatThrownBy(() -> spec.resolve(NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("section .maps")
                .hasMessageContaining("map sized")
                .hasMessageContaining("0 entries");
    }

    @Test
    void sectionSaysWhatAProgramIs() throws Exception {
        ProgramSpec count =
                ObjectFixture.spec("calls").resolve(NO_TYPES).programs().get(0);

        assertThat(count.name()).isEqualTo("count");
        assertThat(count.type()).isEqualTo(ProgramType.KPROBE);
        assertThat(count.expectedAttachType()).isEqualTo(AttachType.NONE);
        assertThat(count.compiled().license()).contains("Dual MIT/GPL");
        assertThat(count.compiled().section()).isEqualTo("uprobe");
        assertThat(count.compiled().lines()).isNotEmpty();
        assertThat(ObjectFixture.spec("core").section("direct").attachType()).isEqualTo(AttachType.TRACE_RAW_TP);
    }

    @Test
    void subprogramsStandBehindTheProgramsThatCallThem() throws Exception {
        List<ProgramSpec> programs =
                ObjectFixture.spec("functions").resolve(NO_TYPES).programs();

        assertThat(programs).extracting(ProgramSpec::name).containsExactly("nested", "looped");
        assertThat(programs.get(0).compiled().functions()).hasSize(4); // nested, plus_one, twice, minus_one
        assertThat(programs.get(1).compiled().functions()).hasSize(3); // looped, add, twice
        assertThat(programs.get(1).instructions()).anyMatch(Instruction::isFunctionLoad);
    }

    @Test
    void variablesAreSetBeforeLoading() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("variables");
        assertThat(spec.variables().keySet())
                .containsExactlyInAnyOrder("factor", "mode", "wanted", "start", "small", "sum", "runs");
        assertThat(spec.variable("factor").get()).isEqualTo(3);
        assertThat(spec.variable("start").get()).isEqualTo(-7);
        assertThat(spec.variable("small").get()).isEqualTo(200);
        assertThat(spec.variable("sum").map()).isEqualTo(".bss");

        spec.variable("start").set(-2);
        spec.variable("wanted").set("else");

        assertThat(spec.variable("start").get()).isEqualTo(-2);
        assertThatThrownBy(() -> spec.variable("small").set(256))
                .hasMessage("256 does not fit variable small, unsigned, 1 bytes");
        assertThatThrownBy(() -> spec.variable("start").set(32768))
                .hasMessage("32768 does not fit variable start, signed, 2 bytes");
        assertThatThrownBy(() -> spec.variable("wanted").set("twelve bytes"))
                .hasMessageContaining("do not fit variable wanted of 12 bytes");
        assertThatThrownBy(() -> spec.variable("wanted").set(1)).hasMessageContaining("is no number");
        assertThatThrownBy(() -> spec.variable("nobody")).hasMessageContaining("no variable nobody, only [");
    }

    @Test
    void whatIsNotSupportedIsRefusedByName() {
        refused("pinned", ".maps", "map shared is to be pinned");
        refused("nested", ".maps", "map outer has the type 12");
        refused("unknown", "xdp", "programs of this kind are not supported (pass)");
        refused("pointers", ".data", "a variable that begins with an address is not supported");
        refused("bigendian", "", "is a big-endian ELF file");
    }

    @Test
    void fileOfAnotherMachineIsRefused() throws Exception {
        byte[] bytes = ObjectFixture.bytes("calls");
        bytes[18] = 62; // e_machine
        assertThatThrownBy(() -> ObjectFile.parse("other.o", ByteBuffer.wrap(bytes)))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("other.o at byte 18")
                .hasMessageContaining("for another machine than BPF");
        assertThatThrownBy(() -> ObjectFile.read(folder)).hasMessageContaining("is not a regular file");
        assertThatThrownBy(() -> ObjectFile.read(folder.resolve("missing.o"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void objectThatNeedsTheKernelsTypesSaysSo() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("core");
        spec.exclude("direct");

        assertThatThrownBy(() -> spec.resolve(NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("section raw_tp/sys_enter at byte")
                .hasMessageContaining("needs the kernel's types");
    }

    @Test
    void symbolWithoutATypeIsNotTakenForMissing() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("typeless");

        assertThatThrownBy(() -> spec.resolve(NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("section raw_tp/sys_enter at byte 8")
                .hasMessageContaining("of_no_type has no type");
    }

    @Test
    void strongKernelFunctionMustBeThere() throws Exception {
        ObjectSpec spec = ObjectFixture.spec("strong");

        assertThatThrownBy(() -> spec.resolve(NO_TYPES))
                .isInstanceOf(BpfObjectException.class)
                .hasMessageContaining("section tp_btf/sys_enter at byte")
                .hasMessageContaining("this kernel has no function of_no_kernel");
    }

    private static void refused(String name, String section, String problem) {
        assertThatThrownBy(() -> ObjectFixture.spec(name))
                .isInstanceOfSatisfying(
                        BpfObjectException.class, e -> assertThat(e.section()).isEqualTo(section))
                .hasMessageContaining(problem);
    }
}
