package dev.probestream.collector.internal.v8.layout;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Finds where an isolate keeps the frame pointer of the exit frame by which C++ was called last from JavaScript
 * (ThreadLocalTop::c_entry_fp_). No symbol gives it, but the code of the builtin JSEntry does, by which C++ calls
 * JavaScript: once it has pushed the registers that it must keep, it pushes that word, which is then 64 bytes below the
 * frame pointer (Generate_JSEntryVariant in v8/src/builtins/x64/builtins-x64.cc; the same bytes in V8 10.2 to 13.6).
 */
public final class EntryCode {
    private static final String FUNCTION = "Builtins_JSEntry";

    /**
     * push rbp; mov rbp, rsp; push ENTRY's marker; sub rsp, 8; push r12, r13, r14, r15, rbx; mov r13, rdi; push [r13 + 32
     * bits].
     */
    private static final byte[] CODE = HexFormat.of().parseHex("554889e56a024883ec084154415541564157534c8bef41ffb5");

    /** kRootRegisterBias of x64: r13 points so far behind the start of the isolate. */
    private static final int ROOT_REGISTER_BIAS = 128;

    private EntryCode() {}

    /** Its offset from the isolate's address; 0 = the code is another, or of another machine. */
    public static int exitFrame(ElfFile elf) throws IOException {
        Optional<ElfSymbol> function = elf.machine() == ElfMachine.X86_64 ? elf.function(FUNCTION) : Optional.empty();
        if (function.isEmpty()) {
            return 0;
        }
        byte[] code = elf.code(function.get(), CODE.length + Integer.BYTES);
        boolean isKnown =
                code.length == CODE.length + Integer.BYTES && Arrays.equals(code, 0, CODE.length, CODE, 0, CODE.length);
        int displacement =
                isKnown ? ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN).getInt(CODE.length) : 0;
        return displacement > 0 && displacement % Long.BYTES == 0 ? displacement + ROOT_REGISTER_BIAS : 0;
    }
}
