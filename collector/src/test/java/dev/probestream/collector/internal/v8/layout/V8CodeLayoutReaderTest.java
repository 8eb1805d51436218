package dev.probestream.collector.internal.v8.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class V8CodeLayoutReaderTest {
    @Test
    void layoutOfCodeOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                V8CodeLayout layout = V8CodeLayoutReader.read(elf, V8Symbols.read(elf));
                int major = V8Symbols.read(elf).version().major();
                assertThat(layout.bytecodes().sourcePositions()).isEqualTo(major < 12 ? 32 : 24);
                assertThat(layout.codes().streamHeader()).isEqualTo(major < 11 ? 128 : major < 12 ? 16 : 32);
                assertThat(layout.codes().isStreamApart()).isEqualTo(major >= 11);
                assertThat(layout.deoptimization().firstEntry()).isEqualTo(major < 13 ? 11 : 12);
                assertThat(layout.translations().operands().size())
                        .isEqualTo(major < 11 ? 28 : major < 12 ? 36 : major < 13 ? 40 : 45);
                // LdaZero, as a single operation and with a prefix, which only operations with operands have.
                assertThat(layout.bytecodes().sizes().sizeAt(new byte[] {12}, 0))
                        .isEqualTo(1);
                assertThat(layout.bytecodes().sizes().sizeAt(new byte[] {0, 5}, 0))
                        .isEqualTo(4);
                assertThat(layout.bytecodes().sizes().sizeAt(new byte[] {1}, 0)).isZero();
            }
        }
    }

    @Test
    void versionWhoseCodeHasNotBeenReadIsRefused() {
        assertThatThrownBy(() -> KnownV8.code(new V8Version(14, 7, 0, 0)))
                .isInstanceOf(V8LayoutException.class)
                .hasMessage(
                        "the layout of code of V8 14.7.0.0 is not known, so that lines of calls and inlined functions"
                                + " are not shown; known are 10.2 (Node.js 18), 11.3 (20), 12.4 (22), 13.6 (24), 14.1 (25) and 14.6 (26)");
    }

    @Test
    void tableOfSizesThatIsNoneIsRefused() {
        assertThat(BytecodeSizes.in(new byte[BytecodeSizes.MAX_BYTES])).isEmpty();
        assertThat(BytecodeSizes.in(new byte[3])).isEmpty();
    }
}
