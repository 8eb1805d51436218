package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.v8.layout.EntryCode;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Properties;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads what finding the async context of a thread needs from a Node.js executable: from the code of the functions by which
 * addons ask for the async ids, which go the same way, and from V8's getter of the continuation preserved embedder data.
 *
 * <p>What is found is compared: both functions must go one way, by the offsets of V8's objects that the program in the kernel
 * has as constants, and the word that they compare must be Node's tag. Anything else is refused.
 */
public final class AsyncContextReader {
    private static final String EXECUTION_ID = "_ZN4node29AsyncHooksGetExecutionAsyncIdEPN2v87IsolateE";
    private static final String TRIGGER_ID = "_ZN4node27AsyncHooksGetTriggerAsyncIdEPN2v87IsolateE";
    private static final String IN_CONTEXT = "_ZN2v87Isolate9InContextEv";
    private static final String CURRENT_CONTEXT = "_ZN2v87Isolate17GetCurrentContextEv";
    private static final String NODE_TAG = "_ZN4node18ContextEmbedderTag18kNodeContextTagPtrE";
    private static final String SLOT = "_ZN2v87Isolate36GetContinuationPreservedEmbedderDataEv";

    /** They have 60 to 170 bytes. */
    private static final int MAX_CODE_BYTES = 256;

    private AsyncContextReader() {}

    /**
     * Reads the layout.
     *
     * @throws V8LayoutException if contexts cannot be found; the message is a reason for the user
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ContextExecutable read(ElfFile elf) throws IOException, V8LayoutException {
        if (elf.machine() != ElfMachine.X86_64) {
            throw new V8LayoutException("async contexts are read on x86-64 only");
        }
        if (elf.isPositionIndependent()) {
            throw new V8LayoutException(
                    elf.name() + " is position independent: Node's tag of its contexts is not known");
        }
        V8Symbols symbols = V8Symbols.read(elf);
        OptionalLong threadLocal = elf.threadPointerOffset(IsolateSymbols.CURRENT_ISOLATE);
        IdsPath execution = idsPath(elf, EXECUTION_ID);
        IdsPath trigger = idsPath(elf, TRIGGER_ID);
        if (execution.asyncIds() != trigger.asyncIds() || execution.number() != 0 || trigger.number() != Double.BYTES) {
            throw unknown(elf, TRIGGER_ID);
        }
        Promises promises = promises(elf, symbols);
        AsyncContextLayout layout = new AsyncContextLayout(
                threadLocal.orElse(AsyncCallerLayout.FIRST_KEY_VALUE),
                threadLocal.isPresent() ? 0 : IsolateSymbols.key(elf),
                tag(elf, execution),
                currentContext(elf),
                execution.asyncIds(),
                slot(elf),
                symbols.type("Oddball"),
                symbols.type("BytecodeArray"),
                symbols.field("Map", "instance_type"),
                promises.callers,
                EntryCode.exitFrame(elf),
                promises.heap
                        .map(heap -> heap.objects().sharedFunctions().script())
                        .orElse(0),
                promises.heap.map(heap -> heap.objects().scripts().name()).orElse(0),
                promises.heap.map(AsyncContextReader::baseline).orElse(BaselineCodeLayout.NONE));
        return new ContextExecutable(layout, promises.heap);
    }

    private record Promises(AsyncCallerLayout callers, Optional<HeapLayout> heap) {
        static final Promises NONE = new Promises(AsyncCallerLayout.NONE, Optional.empty());
    }

    /** Of files that are stripped in part, or of a V8 whose promises are not known: the other contexts do not need it. */
    private static Promises promises(ElfFile elf, V8Symbols symbols) throws IOException {
        try {
            V8Layout objects = V8LayoutReader.layout(symbols);
            AsyncCallerLayout callers = AsyncLayoutReader.read(elf, symbols, objects);
            return new Promises(
                    callers, Optional.of(new HeapLayout(objects, V8Properties.read(symbols), code(elf, symbols))));
        } catch (V8LayoutException e) {
            return Promises.NONE;
        }
    }

    /** Without it, what optimized code has called is nobody's. */
    private static Optional<V8CodeLayout> code(ElfFile elf, V8Symbols symbols) throws IOException {
        try {
            return Optional.of(V8CodeLayoutReader.read(elf, symbols));
        } catch (V8LayoutException e) {
            return Optional.empty();
        }
    }

    private static BaselineCodeLayout baseline(HeapLayout heap) {
        int functionData = heap.objects().sharedFunctions().data();
        return heap.code()
                .map(V8CodeLayout::codes)
                .map(codes -> codes.isStreamApart()
                        ? new BaselineCodeLayout(functionData, codes.instructionStart(), 0, codes.instructionSize())
                        : new BaselineCodeLayout(functionData, 0, codes.streamHeader(), codes.instructionSize()))
                .orElse(BaselineCodeLayout.NONE);
    }

    /**
     * What follows from the code of one of the two functions.
     *
     * @param tagAddress where the word lies that an Environment's context must have
     * @param asyncIds offset in an Environment
     * @param number offset of the double that is returned
     */
    private record IdsPath(long tagAddress, int asyncIds, int number) {}

    /**
     * The way from the embedder data on, in this order: {@code mov 0x2f(%rax),%rax; mov 0x147(%rax),%rdx; cmp %rdx,TAG(%rip);
     * mov 0x10f(%rax),...; mov ASYNC_IDS(...),%rax; movsd NUMBER(%rax),%xmm0}.
     */
    private static IdsPath idsPath(ElfFile elf, String name) throws IOException, V8LayoutException {
        ElfSymbol function = function(elf, name);
        MachineCode code = new MachineCode(elf.code(function, MAX_CODE_BYTES));
        int data = code.find(0, MachineCode.load(AsyncContextLayout.EMBEDDER_DATA, true));
        int tag = code.find(data, MachineCode.load(AsyncContextLayout.NODE_TAG, false));
        int compare = code.find(tag, List.of(0x48, 0x39, 0x15));
        int environment = code.find(compare, MachineCode.load(AsyncContextLayout.ENVIRONMENT, false));
        int asyncIds = code.findLoad(environment + 1);
        int number = code.find(asyncIds, List.of(0xf2, 0x0f, 0x10));
        if (number < 0 || code.displacement(asyncIds) <= 0) {
            throw unknown(elf, name);
        }
        int modrm = code.at(number + 3);
        int returned = modrm == 0x00 ? 0 : modrm == 0x40 ? code.at(number + 4) : -1;
        long next = function.virtualAddress() + compare + 7;
        return new IdsPath(next + code.word(compare + 3), code.displacement(asyncIds), returned);
    }

    private static long tag(ElfFile elf, IdsPath path) throws IOException, V8LayoutException {
        OptionalLong symbol = elf.symbolAddress(NODE_TAG);
        if (symbol.isEmpty() || symbol.getAsLong() != path.tagAddress()) {
            throw unknown(elf, EXECUTION_ID);
        }
        ByteBuffer bytes = elf.bytesAt(symbol.getAsLong(), Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < Long.BYTES || bytes.getLong(bytes.position()) == 0) {
            throw unknown(elf, EXECUTION_ID);
        }
        return bytes.getLong(bytes.position());
    }

    /** {@code cmpq $0,CONTEXT(%rdi)} of the one, {@code mov CONTEXT(%rdi),...} of the other, and the way to the native context. */
    private static int currentContext(ElfFile elf) throws IOException, V8LayoutException {
        MachineCode inContext = new MachineCode(elf.code(function(elf, IN_CONTEXT), MAX_CODE_BYTES));
        MachineCode current = new MachineCode(elf.code(function(elf, CURRENT_CONTEXT), MAX_CODE_BYTES));
        int compare = inContext.find(0, List.of(0x48, 0x83, 0xbf));
        int load = current.findLoad(0);
        int map = current.find(load, MachineCode.load(AsyncContextLayout.OBJECT_MAP, true));
        int nativeContext = current.find(map, MachineCode.load(AsyncContextLayout.NATIVE_CONTEXT, true));
        if (compare != 0 || nativeContext < 0 || inContext.word(3) != current.displacement(load)) {
            throw unknown(elf, CURRENT_CONTEXT);
        }
        return inContext.word(3);
    }

    /** The first load of V8's getter; 0 = this V8 has no such slot. */
    private static int slot(ElfFile elf) throws IOException, V8LayoutException {
        Optional<ElfSymbol> getter = elf.function(SLOT);
        if (getter.isEmpty()) {
            return 0;
        }
        MachineCode code = new MachineCode(elf.code(getter.get(), MAX_CODE_BYTES));
        int load = code.findLoad(0);
        if (load < 0 || code.displacement(load) <= 0 || code.displacement(load) % Long.BYTES != 0) {
            throw unknown(elf, SLOT);
        }
        return code.displacement(load);
    }

    private static ElfSymbol function(ElfFile elf, String name) throws IOException, V8LayoutException {
        return elf.function(name)
                .orElseThrow(() -> new V8LayoutException(
                        elf.name() + " has no symbol " + name + ": it is stripped in part, or no Node.js"));
    }

    private static V8LayoutException unknown(ElfFile elf, String function) {
        return new V8LayoutException(
                "the code of " + function + " in " + elf.name()
                        + " is another than that of Node.js 18 to 24, so it is not known where the async context of a thread is");
    }
}
