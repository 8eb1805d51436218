package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Attaches by name; {@link UprobesTest} has the cases of the attach methods themselves. */
@KernelTest(since = "6.10")
class ExecutableTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @ParameterizedTest
    @EnumSource
    void callsAndReturnsAreCountedByAnyMethodUntilTheLinkIsClosed(UprobeAttachMethod method) throws Exception {
        try (Executable executable = Executable.open(calls.executable());
                CallCounter entries = new CallCounter(method);
                CallCounter returns = new CallCounter(method);
                CProgram.Running process = calls.start()) {
            try (Link entry = executable.uprobe("tick", entries.program(), process.pid());
                    Link end = executable.uretprobe("add", returns.program())) {
                assertThat(entry).isNotSameAs(end);
                process.ask("repeat 10");
                process.ask("add 40 2");
            }
            process.ask("repeat 5");

            assertThat(entries.hits(0)).isEqualTo(10);
            assertThat(returns.hits(0)).isEqualTo(1);
            assertThat(returns.lastResult(0)).isEqualTo(42);
        }
    }

    @Test
    void leadingEndbr64IsSkipped() throws Exception {
        assumeTrue(ElfMachine.ofThisHost() == ElfMachine.X86_64, "only x86-64 has endbr64");
        CProgram withEndbr =
                CProgram.compile(Files.createDirectory(folder.resolve("endbr")), "bpf/calls", "-fcf-protection=branch");
        try (Executable executable = Executable.open(withEndbr.executable());
                CallCounter counter = new CallCounter(UprobeAttachMethod.best());
                CProgram.Running process = withEndbr.start();
                Link link = executable.uprobe("tick", counter.program())) {
            assertThat(link).isNotNull();
            process.ask("repeat 3");

            assertThat(executable.entryOffset("tick")).isEqualTo(withEndbr.functionOffset("tick") + 4);
            assertThat(counter.hits(0)).isEqualTo(3);
        }
    }

    @Test
    void missingFunctionIsAnsweredWithTheNearestNames() throws Exception {
        try (Executable executable = Executable.open(calls.executable());
                CallCounter counter = new CallCounter(UprobeAttachMethod.best())) {
            Executable.NoSuchFunctionException missing = catchThrowableOfType(
                    Executable.NoSuchFunctionException.class, () -> executable.uprobe("tikc", counter.program()));

            assertThat(missing)
                    .hasMessageStartingWith("probe tikc in " + calls.executable()
                            + ": the file has no function with this name; similar names: tick");
            assertThat(missing.nearestNames()).startsWith("tick").hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void instructionThatCannotBeProbedThrowsTheKernelsError() throws Exception {
        try (Executable executable = Executable.open(calls.executable());
                CallCounter counter = new CallCounter(UprobeAttachMethod.best());
                CProgram.Running process = calls.start()) {
            process.ask("other"); // the kernel looks at the instruction of a mapped file only
            SyscallException refusal = catchThrowableOfType(
                    SyscallException.class, () -> executable.uprobe("locked", counter.program(), process.pid()));

            assertThat(refusal.errno()).isIn(Errno.ENOTSUPP, Errno.EOPNOTSUPP);
        }
    }

    @Test
    void programForAnotherAttachPointIsRefused() throws Exception {
        ProgramSpec spec = new ProgramSpec(
                "raw",
                ProgramType.RAW_TRACEPOINT,
                AttachType.NONE,
                0,
                0,
                new Assembler().mov(Register.R0, 0).exit().assemble());
        try (Executable executable = Executable.open(calls.executable());
                BpfObjects objects = new ObjectsSpec(List.of(), List.of(spec)).load()) {
            assertThatThrownBy(() -> executable.uprobe("tick", objects.program("raw")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("program raw was loaded as RAW_TRACEPOINT");
        }
    }
}
