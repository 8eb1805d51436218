package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import java.io.IOException;
import java.util.OptionalLong;

/** The symbols that give the location of a thread's isolate. */
final class IsolateSymbols {
    /** Thread-local, since V8 11. */
    static final String CURRENT_ISOLATE = "_ZN2v88internal18g_current_isolate_E";

    private static final String ISOLATE_KEY = "_ZN2v88internal7Isolate12isolate_key_E";

    private IsolateSymbols() {}

    /** The address of the key: V8 10 keeps a thread's isolate under a key of pthread_getspecific. */
    static long key(ElfFile elf) throws IOException, V8LayoutException {
        OptionalLong key = elf.symbolAddress(ISOLATE_KEY);
        if (key.isEmpty() || elf.isPositionIndependent()) {
            throw new V8LayoutException(
                    elf.name() + " does not show where the isolate of a thread is: it is no executable"
                            + " with the symbol v8::internal::g_current_isolate_, nor one with a fixed address and the symbol"
                            + " v8::internal::Isolate::isolate_key_");
        }
        return key.getAsLong();
    }
}
