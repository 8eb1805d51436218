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
 * addons ask for the async ids, which go the same way, and from V8's getter of the continuation preserved embedder data. Which registers they use and in which order depends on
 * the compiler: gcc up to Node.js 24, clang in 26.
 *
 * <p>What is found is compared: both functions must go one way, by the offsets of V8's objects that the program in the kernel
 * has as constants, and the word that they compare must be Node's tag. Anything else is refused.
 */
public final class AsyncContextReader {
    private static final String EXECUTION_ID = "_ZN4node29AsyncHooksGetExecutionAsyncIdEPN2v87IsolateE";
    private static final String TRIGGER_ID = "_ZN4node27AsyncHooksGetTriggerAsyncIdEPN2v87IsolateE";
    /** The function that both call, where the compiler did not put it into them: clang, which builds Node.js 26. */
    private static final String ENVIRONMENT = "_ZN4node11Environment10GetCurrentEPN2v87IsolateE";

    private static final String IN_CONTEXT = "_ZN2v87Isolate9InContextEv";
    private static final String CURRENT_CONTEXT = "_ZN2v87Isolate17GetCurrentContextEv";
    private static final String NODE_TAG = "_ZN4node18ContextEmbedderTag18kNodeContextTagPtrE";
    private static final String SLOT = "_ZN2v87Isolate36GetContinuationPreservedEmbedderDataEv";

    /** {@code cmp %rdx,TAG(%rip)}, and {@code mov TAG(%rip),%rax}. */
    private static final List<Integer> COMPARE_TAG = List.of(0x48, 0x39, 0x15);

    private static final List<Integer> LOAD_TAG = List.of(0x48, 0x8b, 0x05);

    /** They have 60 to 230 bytes. */
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
                promises.heap.map(AsyncContextReader::baseline).orElse(BaselineCodeLayout.NONE),
                EventLoopReader.read(elf),
                StreamListenerReader.read(elf));
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
     * The way of one of the two functions. From the Environment on it is {@code mov ASYNC_IDS(...),%rax; movsd NUMBER(%rax),%xmm0};
     * the way to it stands before that or in the function that is called.
     */
    private static IdsPath idsPath(ElfFile elf, String name) throws IOException, V8LayoutException {
        ElfSymbol function = function(elf, name);
        MachineCode code = new MachineCode(elf.code(function, MAX_CODE_BYTES));
        Optional<ElfSymbol> called = elf.function(ENVIRONMENT).filter(to -> code.findCall(function, to) >= 0);
        MachineCode way = called.isPresent() ? new MachineCode(elf.code(called.get(), MAX_CODE_BYTES)) : code;
        TagLoad tag = tagLoad(way);
        int environment = way.find(tag.end, MachineCode.load(AsyncContextLayout.ENVIRONMENT, false));
        int from = called.isPresent() ? code.findCall(function, called.get()) : environment + 1;
        int asyncIds = code.findLoad(environment < 0 ? -1 : from);
        int number = code.find(asyncIds, List.of(0xf2, 0x0f, 0x10));
        if (number < 0 || code.displacement(asyncIds) <= 0) {
            throw unknown(elf, name);
        }
        int modrm = code.at(number + 3);
        int returned = modrm == 0x00 ? 0 : modrm == 0x40 ? code.at(number + 4) : -1;
        long base = called.orElse(function).virtualAddress();
        return new IdsPath(base + tag.address, code.displacement(asyncIds), returned);
    }

    /**
     * Where the tag of the embedder data is compared.
     *
     * @param end behind it; -1 = it is not there
     * @param address of the word with Node's tag, from the function's begin
     */
    private record TagLoad(int end, long address) {}

    /**
     * {@code mov 0x2f(%rax),%rax; mov 0x147(%rax),%rdx; cmp %rdx,TAG(%rip)}, or {@code mov 0x2f(%rax),%r13; mov TAG(%rip),%rax;
     * cmp 0x147(%r13),%rax}.
     */
    private static TagLoad tagLoad(MachineCode code) {
        int data = code.find(0, MachineCode.load(AsyncContextLayout.EMBEDDER_DATA, true));
        int tag = code.find(data, MachineCode.load(AsyncContextLayout.NODE_TAG, false));
        int address = code.find(tag >= 0 ? tag : data, tag >= 0 ? COMPARE_TAG : LOAD_TAG);
        if (address < 0) {
            return new TagLoad(-1, 0);
        }
        int next = address + COMPARE_TAG.size() + Integer.BYTES;
        int end = tag >= 0 ? next : code.findCompare(next);
        boolean isTag = tag >= 0 || code.displacement(end) == AsyncContextLayout.NODE_TAG;
        return new TagLoad(isTag ? end : -1, next + code.word(address + COMPARE_TAG.size()));
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
        if (compare < 0 || nativeContext < 0 || inContext.word(compare + 3) != current.displacement(load)) {
            throw unknown(elf, CURRENT_CONTEXT);
        }
        return inContext.word(compare + 3);
    }

    /**
     * Of V8's getter; 0 = this V8 has no such slot. It loads two words in either order, {@code mov SLOT(%rdi),...; mov
     * NEXT(%rdi),%rax}, and compares the next handle of the handle scope with its limit, the word behind: {@code cmp
     * NEXT+8(%rdi),%rax}.
     */
    private static int slot(ElfFile elf) throws IOException, V8LayoutException {
        Optional<ElfSymbol> getter = elf.function(SLOT);
        if (getter.isEmpty()) {
            return 0;
        }
        MachineCode code = new MachineCode(elf.code(getter.get(), MAX_CODE_BYTES));
        int first = code.findLoad(0);
        int second = code.findLoad(first < 0 ? -1 : first + 1);
        int compare = code.findCompare(second);
        int next = code.displacement(compare) - Long.BYTES;
        boolean isFirstNext = code.displacement(first) == next;
        int slot = code.displacement(isFirstNext ? second : first);
        boolean hasBoth = isFirstNext != (code.displacement(second) == next);
        if (compare < 0 || !hasBoth || slot <= 0 || slot % Long.BYTES != 0) {
            throw unknown(elf, SLOT);
        }
        return slot;
    }

    private static ElfSymbol function(ElfFile elf, String name) throws IOException, V8LayoutException {
        return elf.function(name)
                .orElseThrow(() -> new V8LayoutException(
                        elf.name() + " has no symbol " + name + ": it is stripped in part, or no Node.js"));
    }

    private static V8LayoutException unknown(ElfFile elf, String function) {
        return new V8LayoutException(
                "the code of " + function + " in " + elf.name()
                        + " is another than that of Node.js 18 to 26, so it is not known where the async context of a thread is");
    }
}
