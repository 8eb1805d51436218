package dev.probestream.collector.internal.resolve.code;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether an instruction of a function begins at an offset, by decoding those before it. */
public final class InstructionStarts {
    /** Every instruction of aarch64. */
    private static final int AARCH64_BYTES = 4;

    /** Larger functions are searched in part: this is advice. */
    private static final int MAX_SEARCHED_BYTES = 1 << 20;

    private InstructionStarts() {}

    /** Where the function returns: at most {@code most} offsets in it, as far as its instructions are known. */
    public static List<Integer> returns(ElfFile elf, ElfSymbol symbol, int most) throws IOException {
        boolean isX86 = elf.machine() == ElfMachine.X86_64;
        byte[] code = elf.code(symbol, MAX_SEARCHED_BYTES);
        List<Integer> found = new ArrayList<>();
        int start = 0;
        while (start < code.length && found.size() < most) {
            int length = isX86 ? X86Instruction.length(code, start) : AARCH64_BYTES;
            if (length < 0 || start + length > code.length) {
                return found;
            }
            if (isX86 ? isX86Return(code, start) : isAarch64Return(code, start)) {
                found.add(start);
            }
            start += length;
        }
        return found;
    }

    /** RET, C3 or C2 iw, also behind a prefix F2 or F3 (Intel SDM volume 2). */
    private static boolean isX86Return(byte[] code, int start) {
        int first = code[start] & 0xff;
        int opcode = (first == 0xf2 || first == 0xf3) && start + 1 < code.length ? code[start + 1] & 0xff : first;
        return opcode == 0xc3 || opcode == 0xc2;
    }

    /** RET Xn (Arm ARM, C6.2): the register stands in bits 5 to 9. */
    private static boolean isAarch64Return(byte[] code, int start) {
        int instruction = (code[start] & 0xff)
                | (code[start + 1] & 0xff) << 8
                | (code[start + 2] & 0xff) << 16
                | (code[start + 3] & 0xff) << 24;
        return (instruction & 0xfffffc1f) == 0xd65f0000;
    }

    /** Why no probe may sit there, or nothing. */
    static Optional<String> obstacle(ElfFile elf, ElfSymbol symbol, int offset) throws IOException {
        boolean isX86 = elf.machine() == ElfMachine.X86_64;
        byte[] code = elf.code(symbol, offset + X86Instruction.MAX_BYTES);
        int start = 0;
        while (start < offset) {
            int length = isX86 ? X86Instruction.length(code, start) : AARCH64_BYTES;
            if (length < 0) {
                return Optional.of("cannot determine whether an instruction begins at byte " + offset + " of "
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
