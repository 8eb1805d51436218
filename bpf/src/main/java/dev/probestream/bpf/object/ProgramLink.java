package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.CoreRelocation;
import dev.probestream.bpf.btf.CoreTypes;
import dev.probestream.bpf.btf.CoreValue;
import dev.probestream.bpf.elf.RelocatableFile.Relocation;
import dev.probestream.bpf.kernel.CompiledCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One program and the functions behind it: those that it calls, directly or not, each once. The program is of the object,
 * or assembled.
 */
final class ProgramLink {
    /** The verifier looks at no more (BPF_COMPLEXITY_LIMIT_INSNS). */
    private static final int MAX_INSTRUCTIONS = 1_000_000;

    // Documentation/bpf/llvm_reloc.rst
    private static final int R_BPF_64_64 = 1;
    private static final int R_BPF_64_32 = 10;

    private final ObjectContents object;
    private final ObjectIndex recorded;
    private final ReferencedSymbols symbols;
    private final Optional<CoreTypes> coreTypes;
    private final int maxInstructions;
    private final LinkedCode code = new LinkedCode();
    private final Map<ObjectFunction, Integer> starts = new LinkedHashMap<>();
    private final List<ObjectFunction> pieces = new ArrayList<>();
    private final Map<Integer, String> unresolved = new HashMap<>();

    /** @param maxInstructions that the program may have */
    ProgramLink(
            ObjectContents object,
            ObjectIndex recorded,
            ReferencedSymbols symbols,
            Optional<CoreTypes> coreTypes,
            int maxInstructions) {
        this.object = object;
        this.recorded = recorded;
        this.symbols = symbols;
        this.coreTypes = coreTypes;
        this.maxInstructions = Math.min(maxInstructions, MAX_INSTRUCTIONS);
    }

    /** Begins with a program of the object. */
    void begin(ObjectFunction program) throws IOException {
        startOf(program);
        resolve();
    }

    /** Begins with an assembled program, which calls functions by their names. */
    void begin(List<Instruction> assembled) throws IOException {
        code.append(assembled);
        for (int i = 0; i < assembled.size(); i++) {
            Instruction instruction = assembled.get(i);
            if (instruction.isLinkedCall()) {
                code.setImmediate(i, startOf(recorded.subprogram(instruction.symbol())) - i - 1);
            }
        }
        resolve();
    }

    /** The instructions for the kernel; empty where one names a register that there is not. */
    Optional<List<Instruction>> toInstructions() {
        return code.toInstructions();
    }

    int count() {
        return code.count();
    }

    /** Where a function begins; it is appended if the program does not have it yet. */
    int startOf(ObjectFunction function) throws BpfObjectException {
        Integer known = starts.get(function);
        if (known != null) {
            return known;
        }
        int start = code.count();
        if (start + function.count() > maxInstructions) {
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

    private void resolve() throws IOException {
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
            Relocation relocation = recorded.relocation(piece, i);
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
        ObjectFunction function = recorded.functionAt(section, instruction);
        if (function == null) {
            throw malformed(piece, index, "no function begins at instruction " + instruction + " of the section");
        }
        return function;
    }

    private void checkType(ObjectFunction piece, int index, Relocation relocation, int type) throws BpfObjectException {
        if (relocation.type() != type) {
            throw malformed(
                    piece,
                    index,
                    "relocation type " + relocation.type() + " instead of " + type
                            + " (Documentation/bpf/llvm_reloc.rst)");
        }
    }

    private void core(ObjectFunction piece, int start) throws IOException {
        for (CoreRelocation relocation : recorded.coreRelocations(piece)) {
            int index = (relocation.offsetBytes() - ObjectIndex.firstByte(piece)) / Instruction.SIZE_BYTES;
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

    /**
     * What is recorded of a program of the object.
     *
     * @param section the name of its section
     */
    CompiledCode compiled(String section) {
        return records(Optional.of(object.license()), section, List.of(), List.of());
    }

    /**
     * What the kernel needs to know of an assembled program and its own functions, and what is recorded of the others.
     *
     * @param standIn the function of the object whose type and first line the assembled ones get
     * @param assembled where the assembled ones begin, the program first
     */
    CompiledCode compiled(ObjectFunction standIn, Collection<Integer> assembled) {
        OptionalInt type = recorded.type(standIn);
        List<CompiledCode.SourceLine> line = recorded.lines(standIn, 0);
        List<CompiledCode.FunctionStart> functions = new ArrayList<>();
        List<CompiledCode.SourceLine> lines = new ArrayList<>();
        for (int start : assembled) {
            type.ifPresent(id -> functions.add(new CompiledCode.FunctionStart(start, id)));
            line.stream().findFirst().ifPresent(first -> lines.add(first.at(start)));
        }
        boolean isKnown = type.isPresent() && !line.isEmpty();
        return records(Optional.empty(), "", isKnown ? functions : List.of(), lines);
    }

    private CompiledCode records(
            Optional<String> license,
            String section,
            List<CompiledCode.FunctionStart> assembled,
            List<CompiledCode.SourceLine> assembledLines) {
        List<CompiledCode.FunctionStart> functions = new ArrayList<>(assembled);
        List<CompiledCode.SourceLine> lines = new ArrayList<>(assembledLines);
        for (ObjectFunction piece : pieces) {
            int start = starts.getOrDefault(piece, 0);
            recorded.type(piece).ifPresent(id -> functions.add(new CompiledCode.FunctionStart(start, id)));
            lines.addAll(recorded.lines(piece, start));
        }
        boolean isComplete = functions.size() == assembled.size() + pieces.size();
        return new CompiledCode(
                license, section, isComplete ? functions : List.of(), isComplete ? lines : List.of(), unresolved);
    }

    private BpfObjectException malformed(ObjectFunction piece, int index, String problem) {
        return object.malformed(
                piece.section(),
                ((long) piece.start() + index) * Instruction.SIZE_BYTES,
                "function " + piece.name() + ": " + problem);
    }
}
