package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.BtfExtension;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.btf.CoreRelocation;
import dev.probestream.bpf.btf.CoreTypes;
import dev.probestream.bpf.btf.CoreValue;
import dev.probestream.bpf.elf.RelocatableFile.Relocation;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.CompiledCode;
import dev.probestream.bpf.kernel.ProgramSection;
import dev.probestream.bpf.kernel.ProgramSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes whole programs of an object for one kernel: behind each program stand the subprograms that it calls, directly or
 * not, each once; calls and relocations are resolved. As bpf_object__relocate of tools/lib/bpf/libbpf.c.
 */
final class ObjectLinker {
    /** The verifier looks at no more (BPF_COMPLEXITY_LIMIT_INSNS). */
    private static final int MAX_INSTRUCTIONS = 1_000_000;

    /** Bounds the memory for an object of many programs that all call the same large function. */
    private static final int MAX_INSTRUCTIONS_TOGETHER = 4_000_000;

    // Documentation/bpf/llvm_reloc.rst
    private static final int R_BPF_64_64 = 1;
    private static final int R_BPF_64_32 = 10;

    private final ObjectContents object;
    private final KernelFacts kernel;
    private final ReferencedSymbols symbols;
    private final Optional<CoreTypes> coreTypes;
    private final Map<Long, ObjectFunction> functionsByPlace = new HashMap<>();
    private final Map<Long, Relocation> relocations = new HashMap<>();
    private final Map<String, TreeMap<Integer, CoreRelocation>> coreRelocations = new HashMap<>();
    private final Map<String, Map<Integer, Integer>> functionTypes = new HashMap<>();
    private final Map<String, TreeMap<Integer, BtfExtension.Line>> lines = new HashMap<>();
    private int instructionsTogether;

    ObjectLinker(ObjectContents object, KernelFacts kernel) throws BpfObjectException {
        this.object = object;
        this.kernel = kernel;
        this.symbols = new ReferencedSymbols(object, kernel);
        this.coreTypes = kernel.types().map(types -> new CoreTypes(object.btf(), types));
        for (ObjectFunction function : object.functions()) {
            functionsByPlace.put(place(function.section(), function.start()), function);
        }
        for (Relocation relocation : object.elf().relocations()) {
            long offset = relocation.offset();
            if (offset < 0 || offset > Integer.MAX_VALUE || offset % Instruction.SIZE_BYTES != 0) {
                throw object.malformed(relocation.section(), offset, "a relocation of no instruction");
            }
            relocations.put(place(relocation.section(), (int) (offset / Instruction.SIZE_BYTES)), relocation);
        }
        object.extension()
                .relocations()
                .forEach(relocation -> coreRelocations
                        .computeIfAbsent(relocation.section(), section -> new TreeMap<>())
                        .put(relocation.offsetBytes(), relocation));
        object.extension()
                .functions()
                .forEach(function -> functionTypes
                        .computeIfAbsent(function.section(), section -> new HashMap<>())
                        .put(function.offsetBytes(), function.typeId()));
        object.extension()
                .lines()
                .forEach(line -> lines.computeIfAbsent(line.section(), section -> new TreeMap<>())
                        .put(line.offsetBytes(), line));
    }

    /** Whether a program refers to a variable of .kconfig, which must be in a map then. */
    boolean usesKernelVersion() {
        return symbols.usesKernelVersion();
    }

    /**
     * Links one program.
     *
     * @param section what its section says, perhaps with another target
     */
    ProgramSpec link(ObjectFunction program, ProgramSection section) throws IOException {
        Link link = new Link();
        link.startOf(program);
        link.resolve();
        Optional<List<Instruction>> instructions = link.code.toInstructions();
        if (instructions.isEmpty()) {
            throw object.malformed(program.section(), 0, "program " + program.name() + " uses a register beyond r10");
        }
        instructionsTogether += link.code.count();
        return new ProgramSpec(
                program.name(),
                section.type(),
                section.attachType(),
                section.isSleepable() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                attachBtfId(program, section),
                instructions.get(),
                link.compiled(section));
    }

    private int attachBtfId(ObjectFunction program, ProgramSection section) throws IOException {
        boolean isTracepoint = section.attachType() == AttachType.TRACE_RAW_TP;
        boolean isFunction =
                section.attachType() == AttachType.TRACE_FENTRY || section.attachType() == AttachType.TRACE_FEXIT;
        if (!isTracepoint && !isFunction) {
            return 0;
        }
        OptionalInt id = isTracepoint
                ? kernel.typeId("btf_trace_" + section.target(), BtfKind.TYPEDEF)
                : kernel.typeId(section.target(), BtfKind.FUNCTION);
        if (id.isEmpty()) {
            throw object.malformed(
                    program.section(),
                    (long) program.start() * Instruction.SIZE_BYTES,
                    "the kernel's types have no " + (isTracepoint ? "tracepoint '" : "function '") + section.target()
                            + "' to attach " + program.name() + " to");
        }
        return id.getAsInt();
    }

    private static long place(int section, int instruction) {
        return ((long) section << 32) | instruction;
    }

    /** One program and its subprograms. */
    private final class Link {
        private final LinkedCode code = new LinkedCode();
        private final Map<ObjectFunction, Integer> starts = new LinkedHashMap<>();
        private final List<ObjectFunction> pieces = new ArrayList<>();
        private final Map<Integer, String> unresolved = new HashMap<>();

        /** Where a function begins; it is appended if the program does not have it yet. */
        int startOf(ObjectFunction function) throws BpfObjectException {
            Integer known = starts.get(function);
            if (known != null) {
                return known;
            }
            int start = code.count();
            if (start + function.count() > MAX_INSTRUCTIONS
                    || instructionsTogether + start + function.count() > MAX_INSTRUCTIONS_TOGETHER) {
                throw object.malformed(
                        function.section(),
                        (long) function.start() * Instruction.SIZE_BYTES,
                        "more than " + MAX_INSTRUCTIONS + " instructions with " + function.name());
            }
            starts.put(function, start);
            pieces.add(function);
            code.append(object.elf().sections().get(function.section()).bytes(), function.start(), function.count());
            return start;
        }

        void resolve() throws IOException {
            // Resolving may append pieces.
            for (int i = 0; i < pieces.size(); i++) {
                ObjectFunction piece = pieces.get(i);
                references(piece, startOf(piece));
                core(piece, startOf(piece));
            }
        }

        private void references(ObjectFunction piece, int start) throws IOException {
            for (int i = 0; i < piece.count(); i++) {
                int at = start + i;
                Relocation relocation = relocations.get(place(piece.section(), piece.start() + i));
                if (code.opcode(at) == LinkedCode.LOAD_64) {
                    if (i + 1 >= piece.count()) {
                        throw malformed(piece, i, "a load of 64 bits is cut off");
                    }
                    load(piece, i, at, relocation);
                    i++;
                } else if (code.opcode(at) == LinkedCode.CALL && code.source(at) == LinkedCode.PSEUDO_CALL) {
                    call(piece, i, at, relocation);
                } else if (relocation != null) {
                    throw malformed(piece, i, "a relocation of an instruction that refers to nothing");
                }
            }
        }

        private void load(ObjectFunction piece, int index, int at, @Nullable Relocation relocation) throws IOException {
            if (relocation == null) {
                if (code.source(at) != 0) {
                    throw malformed(piece, index, "a load of something without a relocation that says of what");
                }
                return;
            }
            checkType(piece, index, relocation, R_BPF_64_64);
            Optional<ReferencedSymbols.Code> function = symbols.load(code, at, relocation);
            if (function.isPresent()) {
                int target = startOf(function(
                        piece, index, function.get().section(), function.get().instruction()));
                code.setSource(at, LinkedCode.PSEUDO_FUNC);
                code.setImmediate(at, target - at - 1);
                code.setImmediate(at + 1, 0);
            }
        }

        private void call(ObjectFunction piece, int index, int at, @Nullable Relocation relocation) throws IOException {
            if (relocation == null) {
                // clang resolves calls of static functions within .text by itself.
                long instruction = (long) piece.start() + index + code.immediate(at) + 1;
                code.setImmediate(at, startOf(function(piece, index, piece.section(), instruction)) - at - 1);
                return;
            }
            checkType(piece, index, relocation, R_BPF_64_32);
            Optional<ReferencedSymbols.Code> function = symbols.call(code.immediate(at), relocation);
            if (function.isPresent()) {
                ObjectFunction target = function(
                        piece, index, function.get().section(), function.get().instruction());
                code.setImmediate(at, startOf(target) - at - 1);
                return;
            }
            OptionalInt kernelFunction = symbols.kernelFunction(relocation);
            if (kernelFunction.isPresent()) {
                code.setSource(at, LinkedCode.PSEUDO_KFUNC_CALL);
                code.setOffset(at, 0);
                code.setImmediate(at, kernelFunction.getAsInt());
            } else {
                poison(at, "function " + symbols.name(relocation));
            }
        }

        private ObjectFunction function(ObjectFunction piece, int index, int section, long instruction)
                throws BpfObjectException {
            ObjectFunction function = instruction < 0 || instruction > Integer.MAX_VALUE
                    ? null
                    : functionsByPlace.get(place(section, (int) instruction));
            if (function == null) {
                throw malformed(piece, index, "no function begins at instruction " + instruction + " of the section");
            }
            return function;
        }

        private void checkType(ObjectFunction piece, int index, Relocation relocation, int type)
                throws BpfObjectException {
            if (relocation.type() != type) {
                throw malformed(
                        piece,
                        index,
                        "relocation type " + relocation.type() + " instead of " + type
                                + " (Documentation/bpf/llvm_reloc.rst)");
            }
        }

        private void core(ObjectFunction piece, int start) throws IOException {
            TreeMap<Integer, CoreRelocation> ofSection = coreRelocations.get(sectionName(piece));
            if (ofSection == null) {
                return;
            }
            int first = piece.start() * Instruction.SIZE_BYTES;
            int end = (piece.start() + piece.count()) * Instruction.SIZE_BYTES;
            for (CoreRelocation relocation : ofSection.subMap(first, end).values()) {
                int index = (relocation.offsetBytes() - first) / Instruction.SIZE_BYTES;
                if (relocation.offsetBytes() % Instruction.SIZE_BYTES != 0) {
                    throw malformed(piece, index, "a CO-RE relocation of no instruction");
                }
                if (coreTypes.isEmpty()) {
                    throw malformed(
                            piece, index, "needs the kernel's types (CONFIG_DEBUG_INFO_BTF), which it does not have");
                }
                core(piece, index, start + index, relocation, coreTypes.get());
            }
        }

        private void core(ObjectFunction piece, int index, int at, CoreRelocation relocation, CoreTypes types)
                throws IOException {
            Optional<CoreValue> value = types.resolve(relocation);
            String description = types.describe(relocation);
            if (value.isEmpty()) {
                poison(at, description);
                return;
            }
            Optional<String> problem = new CorePatch(code, at).apply(value.get(), types.local(relocation));
            if (problem.isPresent()) {
                throw malformed(piece, index, "CO-RE relocation " + description + ": " + problem.get());
            }
        }

        private void poison(int at, String description) {
            int number = ReferencedSymbols.FIRST_POISON + unresolved.size();
            unresolved.put(number, description);
            code.poison(at, number);
        }

        CompiledCode compiled(ProgramSection section) {
            List<CompiledCode.FunctionStart> functions = new ArrayList<>();
            List<CompiledCode.SourceLine> sourceLines = new ArrayList<>();
            for (ObjectFunction piece : pieces) {
                int start = starts.getOrDefault(piece, 0);
                int first = piece.start() * Instruction.SIZE_BYTES;
                Integer type =
                        functionTypes.getOrDefault(sectionName(piece), Map.of()).get(first);
                if (type != null) {
                    functions.add(new CompiledCode.FunctionStart(start, type));
                }
                int end = (piece.start() + piece.count()) * Instruction.SIZE_BYTES;
                lines.getOrDefault(sectionName(piece), new TreeMap<>())
                        .subMap(first, end)
                        .values()
                        .forEach(line -> sourceLines.add(new CompiledCode.SourceLine(
                                start + (line.offsetBytes() - first) / Instruction.SIZE_BYTES,
                                line.fileNameOffset(),
                                line.lineOffset(),
                                line.lineColumn())));
            }
            boolean isComplete = functions.size() == pieces.size();
            return new CompiledCode(
                    Optional.of(object.license()),
                    section.name(),
                    isComplete ? functions : List.of(),
                    isComplete ? sourceLines : List.of(),
                    unresolved);
        }

        private String sectionName(ObjectFunction piece) {
            return object.elf().sections().get(piece.section()).name();
        }

        private BpfObjectException malformed(ObjectFunction piece, int index, String problem) {
            return object.malformed(
                    piece.section(),
                    ((long) piece.start() + index) * Instruction.SIZE_BYTES,
                    "function " + piece.name() + ": " + problem);
        }
    }
}
