package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;

/** Whether the code of a file uses a structure as a {@link KnownLayout} has it. */
final class LayoutCheck {
    /** Of a longer function only this much is looked at. */
    private static final int MAX_CODE_BYTES = 1 << 12;

    private LayoutCheck() {}

    static boolean has(ElfFile elf, KnownLayout layout) throws IOException {
        return hasCode(elf, layout)
                && (layout.and().isEmpty() || has(elf, layout.and().get()));
    }

    private static boolean hasCode(ElfFile elf, KnownLayout layout) throws IOException {
        for (ElfSymbol symbol : elf.functionsNamed(layout.function())) {
            byte[] code = elf.code(symbol, (int) Math.min(symbol.sizeBytes(), MAX_CODE_BYTES));
            if (layout.code().stream().allMatch(part -> contains(code, part))) {
                return true;
            }
        }
        return false;
    }

    private static boolean contains(byte[] code, String hexadecimal) {
        byte[] part = HexFormat.of().parseHex(hexadecimal);
        for (int i = 0; i + part.length <= code.length; i++) {
            if (Arrays.equals(code, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }
}
