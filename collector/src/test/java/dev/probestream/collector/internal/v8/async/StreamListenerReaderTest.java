package dev.probestream.collector.internal.v8.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamListenerReaderTest {
    private static final int MAX_CODE_BYTES = 64;

    /** The StreamBase, as objdump shows it, and llhttp's first state, by version of V8. */
    @Test
    void layoutOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("Builtins_RunMicrotasks").isEmpty()) {
                    continue; // stripped, as some distributions do
                }
                int major = V8Symbols.read(elf).version().major();
                StreamListenerLayout layout = StreamListenerReader.read(elf);
                List<Integer> seen = List.of(layout.streamBase(), layout.messageStart());
                assertThat(seen)
                        .as(node + ", V8 " + major)
                        .isEqualTo(
                                switch (major) {
                                    case 10 -> List.of(88, 0xbd);
                                    case 11 -> List.of(88, 0xfd);
                                    case 12 -> List.of(112, 0xfe);
                                    case 13, 14 -> List.of(104, 0xfe);
                                    default -> seen;
                                });
                assertThat(baseOf(elf, layout.parser()))
                        .as("the parser's listener")
                        .isBetween(56L, 80L);
                assertThat(baseOf(elf, layout.tls())).as("TLSWrap's listener").isBetween(120L, 144L);
            }
        }
    }

    /** What stands 16 bytes before the functions of a base: its offset, negative. */
    private static long baseOf(ElfFile elf, long functions) throws Exception {
        return -elf.bytesAt(functions - 16, Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong(0);
    }

    /** Of llhttp_init: {@code mov TYPE,0x48(...)}; of llhttp_get_errno: {@code mov 0x18(%rdi),%eax}. */
    @Test
    void llhttpHasItsFieldsWhereTheProgramReadsThem() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("llhttp_init").isEmpty()) {
                    continue; // llhttp is a library
                }
                MachineCode init = code(elf, "llhttp_init");
                assertThat(init.find(0, List.of(0x88, 0x6b, 0x48)) >= 0 || init.find(0, List.of(0x88, 0x77, 0x48)) >= 0)
                        .as(node.toString())
                        .isTrue();
                assertThat(code(elf, "llhttp_get_errno").find(0, List.of(0x8b, 0x47, 0x18)))
                        .as(node.toString())
                        .isNotNegative();
            }
        }
    }

    private static MachineCode code(ElfFile elf, String function) throws Exception {
        return new MachineCode(elf.code(elf.function(function).orElseThrow(), MAX_CODE_BYTES));
    }

    @Test
    void otherProgramHasNone() throws Exception {
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
            assertThat(StreamListenerReader.read(elf)).isEqualTo(StreamListenerLayout.NONE);
        }
    }
}
