package dev.probestream.collector.internal.syscall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.internal.resolve.TracepointFinder;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SyscallTableTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X86_64 | 0 | read(fd:s32, buf:ptr, count:u64)",
                "X86_64 | 257 | openat(dfd:s32, filename:str, flags:s32, mode:u16)",
                "X86_64 | 82 | rename(oldname:str, newname:str)",
                "X86_64 | 59 | execve(filename:str, argv:ptr, envp:ptr)",
                "X86_64 | 39 | getpid()",
                "X86_64 | 9 | mmap(addr:ptr, len:u64, prot:s32, flags:s32, fd:s32, off:u64)",
                "X86_64 | 468 | file_getattr(dfd:s32, filename:str, ufattr:ptr, usize:u64, at_flags:u32)",
                "X86_64 | 600 | sys_600(arg1:u64, arg2:u64, arg3:u64, arg4:u64, arg5:u64, arg6:u64)",
                "X86_64 | 639 | sys_other(arg1:u64, arg2:u64, arg3:u64, arg4:u64, arg5:u64, arg6:u64)",
                "AARCH64 | 56 | openat(dfd:s32, filename:str, flags:s32, mode:u16)",
                "AARCH64 | 220 | clone(flags:u64, newsp:ptr, parent_tid:ptr, tls:u64, child_tid:ptr)",
                "AARCH64 | 63 | read(fd:s32, buf:ptr, count:u64)",
            })
    void callsHaveTheirNameAndArguments(RegisterTable registers, int number, String signature) {
        assertThat(describe(SyscallTable.of(registers).signature(number))).isEqualTo(signature);
    }

    private static String describe(SyscallSignature signature) {
        return signature.name()
                + signature.arguments().stream()
                        .map(argument -> argument.name() + ":" + argument.type().recordName())
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    @ParameterizedTest
    @EnumSource
    void noCallHasMoreThanSixArgumentsOrTwoTexts(RegisterTable registers) {
        SyscallTable table = SyscallTable.of(registers);

        assertThat(IntStream.range(0, 500).mapToObj(table::signature)).allSatisfy(signature -> {
            assertThat(signature.arguments()).hasSizeLessThanOrEqualTo(6);
            assertThat(signature.arguments()).extracting(ArgumentSpec::name).doesNotHaveDuplicates();
            assertThat(signature.arguments().stream()
                            .filter(argument -> argument.type().isText())
                            .count())
                    .isEqualTo(signature.texts().count());
        });
    }

    @Test
    void callsAreFoundByTheirNames() {
        assertThat(SyscallTable.of(RegisterTable.X86_64).number("write")).hasValue(1);
        assertThat(SyscallTable.of(RegisterTable.AARCH64).number("write")).hasValue(64);
        assertThat(SyscallTable.of(RegisterTable.AARCH64).number("open")).isEmpty();
        assertThat(SyscallTable.of(RegisterTable.X86_64).names()).contains("openat", "epoll_pwait");
    }

    @Test
    void textsAreEncodedAsTheProgramReadsThem() {
        SyscallLayout layout = new SyscallLayout(RegisterTable.X86_64, StackDepths.NONE);

        assertThat(new SyscallTexts(-1, -1, false, false).encode(layout)).isZero();
        // pt_regs r10, r9, r8, ax, cx, dx, si, di lie at 56 to 112 and come to 40 to 96: si to 88, dx to 80.
        assertThat(new SyscallTexts(1, -1, false, false).encode(layout)).isEqualTo(11 + 0x1_0000);
        assertThat(new SyscallTexts(1, 3, false, false).encode(layout)).isEqualTo(11 + 0x500 + 0x31_0000);
        assertThat(new SyscallTexts(0, -1, true, true).encode(layout)).isEqualTo(12 + 0x300_0000);
    }

    @Test
    @KernelTest(since = "6.18")
    void theTableHasEveryCallThatThisKernelTraces() throws Exception {
        SyscallTable table = SyscallTable.of(RegisterTable.X86_64);
        Set<String> known = IntStream.range(0, 500)
                .mapToObj(table::signature)
                .map(SyscallSignature::name)
                .collect(Collectors.toSet());

        Set<String> missing = new TreeSet<>();
        for (TracepointFormat format :
                TracepointFinder.open().formats(SpecParser.parse("tracepoint:syscalls:sys_enter_*"))) {
            missing.add(format.name().substring("sys_enter_".length()));
        }
        missing.removeAll(known);
        // The kernel's functions behind stat, lstat, fstat, uname, umount2 and sendfile.
        assertThat(missing).isSubsetOf("newstat", "newlstat", "newfstat", "newuname", "umount", "sendfile64");
    }
}
