package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds where in the isolate V8 keeps the pointer to the young generation's next object (the top of the LinearAllocationArea
 * of IsolateData). Its offset is read from the code of a builtin that allocates one object: it loads the top from
 * behind the root register (r13), compares the new one with the limit, which is the next word, and stores it back.
 */
final class AllocationTop {
    private static final String FUNCTION = "Builtins_CreateIterResultObject";
    /** It has some 400 bytes. */
    private static final int MAX_CODE_BYTES = 1 << 10;

    private static final int LOAD = 0x8b;
    private static final int COMPARE = 0x39;
    private static final int STORE = 0x89;

    private AllocationTop() {}

    /** {@return its offset from the isolate's address; empty = it is not found in the file} */
    static OptionalInt offset(ElfFile elf) throws IOException {
        Optional<ElfSymbol> function = elf.function(FUNCTION);
        if (function.isEmpty()) {
            return OptionalInt.empty();
        }
        MachineCode code = new MachineCode(elf.code(function.get(), MAX_CODE_BYTES));
        int load = next(code, 0);
        int compare = next(code, load + 1);
        int store = next(code, compare + 1);
        boolean isAllocation = load >= 0
                && code.at(load + 1) == LOAD
                && code.at(compare + 1) == COMPARE
                && code.at(store + 1) == STORE
                && displacement(code, compare) == displacement(code, load) + Long.BYTES
                && displacement(code, store) == displacement(code, load);
        return isAllocation
                ? OptionalInt.of(displacement(code, load) + MicrotaskRoot.ROOT_REGISTER_BIAS)
                : OptionalInt.empty();
    }

    /** The next of the three instructions, between any register and {@code DISPLACEMENT(%r13)}; -1 = there is none. */
    private static int next(MachineCode code, int from) {
        for (int at = from; from >= 0 && at < code.bytes().length - 6; at++) {
            int operation = code.at(at + 1);
            int operands = code.at(at + 2);
            boolean isOfRoot =
                    (code.at(at) & 0xfb) == 0x49 && (operands & 7) == 5 && (operands >> 6 == 1 || operands >> 6 == 2);
            if (isOfRoot && (operation == LOAD || operation == COMPARE || operation == STORE)) {
                return at;
            }
        }
        return -1;
    }

    private static int displacement(MachineCode code, int at) {
        return at < 0 ? 0 : code.at(at + 2) >> 6 == 1 ? (byte) code.at(at + 3) : code.word(at + 3);
    }
}
