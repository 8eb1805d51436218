package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import java.io.IOException;
import java.util.Optional;

/**
 * Reads where Node.js has the event loop of a thread: from the code of the function that returns it to addons, which goes on from
 * the Environment by {@code mov ISOLATE_DATA(...),%rax; mov LOOP(%rax),...}.
 */
final class EventLoopReader {
    private static final String CURRENT_LOOP = "_ZN4node19GetCurrentEventLoopEPN2v87IsolateE";
    /** A variable of libuv; a Node.js that loads libuv as a library has it not. */
    private static final String DEFAULT_LOOP = "default_loop_struct";

    private static final int MAX_CODE_BYTES = 256;

    private EventLoopReader() {}

    /** Of other code, {@link EventLoopLayout#NONE}: nothing but streams by their descriptors needs it. */
    static EventLoopLayout read(ElfFile elf) throws IOException {
        Optional<ElfSymbol> function = elf.function(CURRENT_LOOP);
        if (function.isEmpty()) {
            return EventLoopLayout.NONE;
        }
        MachineCode code = new MachineCode(elf.code(function.get(), MAX_CODE_BYTES));
        int environment = code.find(0, MachineCode.load(AsyncContextLayout.ENVIRONMENT, false));
        int isolateData = code.findLoadBehind(environment);
        int loop = code.findLoadBehind(isolateData);
        boolean isKnown = code.isLoadedThrough(isolateData, environment)
                && code.isLoadedThrough(loop, isolateData)
                && code.displacement(isolateData) > 0
                && code.displacement(loop) > 0;
        return isKnown
                ? new EventLoopLayout(
                        elf.symbolAddress(DEFAULT_LOOP).orElse(0),
                        code.displacement(isolateData),
                        code.displacement(loop))
                : EventLoopLayout.NONE;
    }
}
