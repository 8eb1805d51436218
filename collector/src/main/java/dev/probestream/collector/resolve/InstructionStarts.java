package dev.probestream.collector.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.util.Optional;

/** Says whether an instruction of a function begins at an offset, by going through those before it. */
final class InstructionStarts {
    /** Every instruction of aarch64. */
    private static final int AARCH64_BYTES = 4;

    private InstructionStarts() {}

    /** Why no probe may sit there, or nothing. */
    static Optional<String> obstacle(ElfFile elf, ElfSymbol symbol, int offset) throws IOException {
        boolean isX86 = elf.machine() == ElfMachine.X86_64;
        byte[] code = elf.code(symbol, offset + X86Instruction.MAX_BYTES);
        int start = 0;
        while (start < offset) {
            int length = isX86 ? X86Instruction.length(code, start) : AARCH64_BYTES;
            if (length < 0) {
                return Optional.of("cannot tell whether an instruction begins at byte " + offset + " of "
                        + symbol.name() + ": the one at byte " + start + " is unknown");
            }
            if (start + length > offset) {
                return Optional.of("no instruction begins at byte " + offset + " of " + symbol.name()
                        + "; the nearest ones begin at bytes " + start + " and " + (start + length));
            }
            start += length;
        }
        return Optional.empty();
    }
}
