package dev.probestream.collector.internal.v8.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.Builtin;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.ObjectType;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AsyncLayoutReaderTest {
    /** What objdump shows of the builtin RunMicrotasks, plus 128, and what was seen in memory, by version of V8. */
    @Test
    void layoutOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                V8Layout v8 = V8LayoutReader.read(elf);
                if (elf.function("Builtins_RunMicrotasks").isEmpty()) {
                    assertThatThrownBy(() -> AsyncLayoutReader.read(elf, V8Symbols.read(elf), v8))
                            .as("a node whose .symtab was stripped, as some distributions do")
                            .isInstanceOf(V8LayoutException.class)
                            .hasMessageContaining("stripped in part");
                    continue;
                }
                AsyncCallerLayout callers = AsyncLayoutReader.read(elf, V8Symbols.read(elf), v8);
                List<Integer> seen = new ArrayList<>(List.of(
                        callers.currentMicrotask(),
                        callers.reaction(),
                        callers.functionShared(),
                        callers.functionContext(),
                        callers.builtin(),
                        callers.types().get(ObjectType.PROMISE),
                        callers.builtins().get(Builtin.FUNCTION_AWAIT_RESOLVE),
                        (int) callers.isolate()));
                assertThat(seen)
                        .as(node + ", V8 " + v8.version())
                        .isEqualTo(
                                switch (v8.version().major()) {
                                    case 10 -> List.of(0x1928, 8, 24, 32, 8, 2062, 223, 0x318);
                                    case 11 -> List.of(0x1b60, 8, 24, 32, 8, 2063, 236, 0xb0 - 0x100);
                                    case 12 -> List.of(0x1cb0, 16, 32, 40, 8, 2063, 243, 0xd8 - 0x150);
                                    case 13 -> List.of(0x2580, 16, 32, 40, 16, 2115, 258, 0x108 - 0x1a8);
                                    case 14 -> List.of(0x2640, 16, 32, 40, 16, 2117, 266, 0x110 - 0x288);
                                    default -> seen;
                                });
                assertThat(callers.isolateKey() != 0).isEqualTo(v8.version().major() == 10);
            }
        }
    }

    @Test
    void valueIsWhatIsDrawn() {
        AsyncCallerLayout layout = new AsyncCallerLayout(
                -80,
                0x521ac04,
                0x1928,
                16,
                32,
                40,
                8,
                5104,
                Map.of(ObjectType.FULFILL_TASK, 132, ObjectType.SHARED_FUNCTION_INFO, 274),
                Map.of(Builtin.FUNCTION_AWAIT_RESOLVE, 243, Builtin.CAPABILITY_RESOLVE, 0xffff));
        ByteBuffer value = ByteBuffer.allocate(8 + AsyncCallerLayout.SIZE_BYTES).order(ByteOrder.nativeOrder());
        layout.put(value, 8);
        assertThat(value.getLong(8)).isEqualTo(-80);
        assertThat(value.getLong(8 + 8)).isEqualTo(0x521ac04);
        assertThat(value.getInt(8 + 16)).isEqualTo(0x1928);
        assertThat(value.getInt(8 + 36)).isEqualTo(5104);
        assertThat(value.getShort(8 + 40)).isEqualTo((short) 132);
        assertThat(value.getShort(8 + 60)).isEqualTo((short) 274);
        assertThat(value.getShort(8 + 62)).isEqualTo((short) 243);
        assertThat(Short.toUnsignedInt(value.getShort(8 + 78))).isEqualTo(0xffff);
        assertThat(AsyncCallerLayout.SIZE_BYTES).isEqualTo(88);
    }

    @Test
    void fileWithoutTheBuiltinsIsRefused() throws Exception {
        V8Layout layout;
        try (ElfFile elf = ElfFile.open(NodeExecutables.installed())) {
            layout = V8LayoutReader.read(elf);
        }
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
            assertThatThrownBy(() -> AsyncLayoutReader.read(elf, V8Symbols.read(elf), layout))
                    .isInstanceOf(V8LayoutException.class);
            assertThatThrownBy(() -> BuiltinNumbers.read(elf))
                    .isInstanceOf(V8LayoutException.class)
                    .hasMessageContaining("has no symbol of V8's table of builtins");
            assertThatThrownBy(() -> MicrotaskRoot.offset(elf)).hasMessageContaining("Builtins_RunMicrotasks");
        }
    }
}
