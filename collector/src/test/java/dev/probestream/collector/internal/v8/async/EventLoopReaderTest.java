package dev.probestream.collector.internal.v8.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLoopReaderTest {
    private static final int MAX_CODE_BYTES = 256;

    /** IsolateData and loop, as objdump shows them, by version of V8. */
    @Test
    void layoutOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("Builtins_RunMicrotasks").isEmpty()) {
                    continue; // stripped, as some distributions do
                }
                int major = V8Symbols.read(elf).version().major();
                EventLoopLayout layout = EventLoopReader.read(elf);
                List<Integer> seen = List.of(layout.isolateData(), layout.loop());
                assertThat(seen)
                        .as(node + ", V8 " + major)
                        .isEqualTo(
                                switch (major) {
                                    case 10 -> List.of(0x60, 0xcf0);
                                    case 11 -> List.of(0xd0, 0x1050);
                                    case 12 -> List.of(0xd0, 0x1278);
                                    case 13 -> List.of(0xd8, 0x1308);
                                    case 14 -> List.of(0xd8, 0x1318);
                                    default -> seen;
                                });
                assertThat(layout.defaultLoop())
                        .isEqualTo(elf.symbolAddress("default_loop_struct").orElse(0))
                        .isNotZero();
            }
        }
    }

    /** Of uv__io_start(loop, watcher): {@code mov 0x30(%rsi),%eax}, its descriptor, and {@code mov 0x70(%rdi),%ecx}, the count. */
    @Test
    void libuvHasItsWatchersWhereTheProgramReadsThem() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("uv__io_start").isEmpty()) {
                    continue; // libuv is a library
                }
                MachineCode code =
                        new MachineCode(elf.code(elf.function("uv__io_start").orElseThrow(), MAX_CODE_BYTES));
                assertThat(code.find(0, List.of(0x8b, 0x46, 0x30)))
                        .as(node.toString())
                        .isPositive();
                assertThat(code.find(0, List.of(0x8b, 0x4f, 0x70)))
                        .as(node.toString())
                        .isPositive();
            }
        }
    }

    @Test
    void otherProgramHasNone() throws Exception {
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
            assertThat(EventLoopReader.read(elf)).isEqualTo(EventLoopLayout.NONE);
        }
    }

    @Test
    void loadIsBehindAnotherIfItGoesThroughItsRegister() {
        // mov 0x10f(%r14),%rax; test %rax,%rax; mov 0xd8(%rax),%r8; mov 0x1318(%r8),%rax; mov 0x60(%rbx),%rax
        MachineCode code = new MachineCode(HexFormat.of()
                .parseHex("498b860f010000" + "4885c0" + "4c8b80d8000000" + "498b8018130000" + "488b4360"));
        int second = code.findLoadBehind(0);
        int third = code.findLoadBehind(second);
        int last = code.findLoadBehind(third);
        assertThat(List.of(second, third, last)).containsExactly(10, 17, 24);
        assertThat(code.isLoadedThrough(second, 0)).isTrue();
        assertThat(code.isLoadedThrough(third, second)).isTrue();
        assertThat(code.isLoadedThrough(last, third)).isFalse();
        assertThat(code.isLoadedThrough(third, 0)).as("r8 is not rax").isFalse();
        assertThat(code.findLoadBehind(-1)).isEqualTo(-1);
        assertThat(code.findLoadBehind(last)).isEqualTo(-1);
    }
}
