package dev.probestream.collector.internal.v8.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class AsyncContextReaderTest {
    /** Isolate, context, async ids and slot, as objdump shows them and as memory was read, by version of V8. */
    @Test
    void layoutOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("Builtins_RunMicrotasks").isEmpty()) {
                    continue; // stripped, as some distributions do
                }
                int major = V8Symbols.read(elf).version().major();
                ContextExecutable executable = AsyncContextReader.read(elf);
                AsyncContextLayout layout = executable.layout();
                List<Integer> seen = List.of(
                        (int) layout.isolate(),
                        layout.context(),
                        layout.asyncIds(),
                        layout.slot(),
                        layout.promises().currentMicrotask());
                assertThat(
                                switch (major) {
                                    case 10 -> List.of(List.of(0x318, 0x44d0, 0x408, 0, 0x1928));
                                    case 11 -> List.of(List.of(0xb0 - 0x100, 0x118, 0x480, 0, 0x1b60));
                                    case 12 -> List.of(List.of(0xd8 - 0x150, 0x120, 0x480, 0x240, 0x1cb0));
                                    // Node 24.21, and 24.22, whose environment has a word less.
                                    case 13 ->
                                        List.of(
                                                List.of(0x108 - 0x1a8, 0x150, 0x488, 0x278, 0x2580),
                                                List.of(0x108 - 0x1a8, 0x150, 0x480, 0x278, 0x2580));
                                    case 14 -> List.of(List.of(0x110 - 0x288, 0x158, 0x488, 0x2a8, 0x2640));
                                    default -> List.of(seen);
                                })
                        .as(node + ", V8 " + major)
                        .contains(seen);
                assertThat(layout.isolateKey() != 0).isEqualTo(major == 10);
                assertThat(layout.nodeTag()).isNotZero();
                assertThat(layout.instanceType()).isEqualTo(12);
                assertThat(executable.heap().flatMap(HeapLayout::code)).isPresent();
                assertThat(layout.baseline().functionData()).isEqualTo(8);
                assertThat(layout.baseline().instructionStart() == 0).isEqualTo(major == 10);
            }
        }
    }

    @Test
    void fileOfAnotherProgramIsRefused() throws Exception {
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
            assertThatThrownBy(() -> AsyncContextReader.read(elf)).isInstanceOf(V8LayoutException.class);
        }
    }

    @Test
    void valueIsWhatIsDrawn() {
        ByteBuffer value = new AsyncContextLayout(
                        -160,
                        0x521ac04,
                        0x3226000,
                        336,
                        1160,
                        632,
                        131,
                        160,
                        12,
                        AsyncCallerLayout.NONE,
                        0,
                        0,
                        0,
                        new BaselineCodeLayout(8, 16, 0, 24),
                        new EventLoopLayout(0x6b94aa0, 216, 4872),
                        new StreamListenerLayout(0x324cfd8, 0x3309968, 104, 254))
                .encode();
        assertThat(value.remaining()).isEqualTo(AsyncContextLayout.SIZE_BYTES);
        assertThat(value.getLong(0)).isEqualTo(-160);
        assertThat(value.getLong(8)).isEqualTo(0x521ac04);
        assertThat(value.getLong(16)).isEqualTo(0x3226000);
        assertThat(value.getInt(24)).isEqualTo(336);
        assertThat(value.getInt(28)).isEqualTo(1160);
        assertThat(value.getInt(32)).isEqualTo(632);
        assertThat(value.getShort(36)).isEqualTo((short) 131);
        assertThat(value.getShort(38)).isEqualTo((short) 160);
        assertThat(value.getInt(40)).isEqualTo(12);
        assertThat(value.getInt(44)).isZero();
        int baseline = 56 + AsyncCallerLayout.SIZE_BYTES;
        assertThat(value.getShort(baseline)).isEqualTo((short) 8);
        assertThat(value.getShort(baseline + 2)).isEqualTo((short) 16);
        assertThat(value.getShort(baseline + 4)).isZero();
        assertThat(value.getShort(baseline + 6)).isEqualTo((short) 24);
        assertThat(value.getLong(baseline + 8)).isEqualTo(0x6b94aa0);
        assertThat(value.getInt(baseline + 16)).isEqualTo(216);
        assertThat(value.getInt(baseline + 20)).isEqualTo(4872);
        assertThat(value.getLong(baseline + 24)).isEqualTo(0x324cfd8);
        assertThat(value.getLong(baseline + 32)).isEqualTo(0x3309968);
        assertThat(value.getInt(baseline + 40)).isEqualTo(104);
        assertThat(value.getInt(baseline + 44)).isEqualTo(254);
        assertThat(AsyncContextLayout.SIZE_BYTES).isEqualTo(baseline + 48);
    }

    @Test
    void loadsAreFoundByTheirDisplacement() {
        // mov 0x2f(%rax),%rax; mov 0x147(%rax),%rdx; mov 0x480(%r12),%rax
        MachineCode code = new MachineCode(HexFormat.of().parseHex("90488b402f488b904701000049" + "8b842480040000c3"));
        assertThat(code.find(0, MachineCode.load(0x2f, true))).isEqualTo(1);
        assertThat(code.find(2, MachineCode.load(0x2f, true))).isEqualTo(-1);
        assertThat(code.find(0, MachineCode.load(0x147, false))).isEqualTo(5);
        assertThat(code.findLoad(6)).isEqualTo(12);
        assertThat(code.displacement(12)).isEqualTo(0x480);
        assertThat(code.find(-1, MachineCode.load(0x2f, true))).isEqualTo(-1);
        assertThat(code.displacement(0)).isZero();
    }

    @Test
    void comparisonsAndCallsAreFound() {
        // call 0x1000; mov TAG(%rip),%rax; cmp 0x147(%r13),%rax
        MachineCode code = new MachineCode(HexFormat.of().parseHex("e8fbfdffff" + "488b0556e08803" + "493b8547010000"));
        ElfSymbol caller = new ElfSymbol("caller", 0x1200, 19, false, false);
        assertThat(code.findCall(caller, new ElfSymbol("called", 0x1000, 16, false, false)))
                .isZero();
        assertThat(code.findCall(caller, new ElfSymbol("another", 0x1010, 16, false, false)))
                .isEqualTo(-1);
        assertThat(code.findCompare(0)).isEqualTo(12);
        assertThat(code.displacement(12)).isEqualTo(0x147);
        assertThat(code.findCompare(-1)).isEqualTo(-1);
    }
}
