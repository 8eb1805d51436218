package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import java.io.IOException;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds the root {@code current_microtask} in the isolate. No symbol gives it, but the code of the builtin
 * RunMicrotasks does: the first that it stores behind the root register (r13) is the microtask that it takes from the
 * queue, and it stores there once more, {@code undefined}, when the queue is empty
 * (v8/src/builtins/builtins-microtask-queue-gen.cc).
 */
final class MicrotaskRoot {
    private static final String FUNCTION = "Builtins_RunMicrotasks";
    /** It has 3.7 KB. */
    private static final int MAX_CODE_BYTES = 1 << 14;
    /** kRootRegisterBias of x64: the root register points so far behind the start of the isolate. */
    private static final int ROOT_REGISTER_BIAS = 128;

    private MicrotaskRoot() {}

    /** {@return its offset from the isolate's address} */
    static int offset(ElfFile elf) throws IOException, V8LayoutException {
        Optional<ElfSymbol> function = elf.function(FUNCTION);
        if (function.isEmpty()) {
            throw new V8LayoutException(elf.name() + " has no symbol " + FUNCTION + ": it is stripped in part");
        }
        byte[] code = elf.code(function.get(), MAX_CODE_BYTES);
        int[] stores = IntStream.range(0, Math.max(0, code.length - 6))
                .filter(at -> isStore(code, at))
                .map(at -> displacement(code, at + 3))
                .toArray();
        if (stores.length == 0
                || stores[0] <= 0
                || stores[0] % Long.BYTES != 0
                || IntStream.of(stores).filter(store -> store == stores[0]).count() != 2) {
            throw new V8LayoutException("the code of " + FUNCTION + " in " + elf.name()
                    + " does not show where V8 keeps the current microtask");
        }
        return stores[0] + ROOT_REGISTER_BIAS;
    }

    /** {@code mov %REGISTER, DISPLACEMENT32(%r13)}: REX.W and REX.B, 89, mod 2 and r/m 5. */
    private static boolean isStore(byte[] code, int at) {
        return (code[at] & 0xfb) == 0x49 && (code[at + 1] & 0xff) == 0x89 && (code[at + 2] & 0xc7) == 0x85;
    }

    private static int displacement(byte[] code, int at) {
        return (code[at] & 0xff)
                | (code[at + 1] & 0xff) << 8
                | (code[at + 2] & 0xff) << 16
                | (code[at + 3] & 0xff) << 24;
    }
}
