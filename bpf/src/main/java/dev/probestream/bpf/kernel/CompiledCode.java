package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.NativeMemory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a compiler recorded about the instructions of a program. Indices count instructions from 0; the types and strings
 * are those of {@link ObjectsSpec#types}.
 *
 * @param license the program's own; empty = one that allows all helpers
 * @param section the name of the section that the program was in, which says where it is to be attached; "" = none
 * @param functions where functions begin, the program first; the verifier needs them for subprograms and callbacks
 * @param lines the lines of the source, in the order of their instructions
 * @param unresolved what calls of functions that do not exist stand for, by their numbers: what this kernel lacks
 */
public record CompiledCode(
        Optional<String> license,
        String section,
        List<FunctionStart> functions,
        List<SourceLine> lines,
        Map<Integer, String> unresolved) {
    /** Nothing: the program was assembled. */
    public static final CompiledCode NONE = new CompiledCode(Optional.empty(), "", List.of(), List.of(), Map.of());

    private static final Pattern UNKNOWN_CALL = Pattern.compile("invalid func unknown#([0-9]+)");

    public CompiledCode {
        functions = List.copyOf(functions);
        lines = List.copyOf(lines);
        unresolved = Map.copyOf(unresolved);
    }

    /**
     * struct bpf_func_info.
     *
     * @param instruction the index of the function's first one
     * @param typeId of the FUNCTION
     */
    public record FunctionStart(int instruction, int typeId) {
        static final int SIZE_BYTES = 8;
    }

    /**
     * struct bpf_line_info.
     *
     * @param instruction the index of the line's first one
     * @param fileNameOffset in the strings
     * @param lineOffset of the line's text in the strings
     * @param lineColumn the number of the line, from bit 10, and the column
     */
    public record SourceLine(int instruction, int fileNameOffset, int lineOffset, int lineColumn) {
        static final int SIZE_BYTES = 16;

        /**
         * {@return the same line for another instruction}
         *
         * @param other its index
         */
        public SourceLine at(int other) {
            return new SourceLine(other, fileNameOffset, lineOffset, lineColumn);
        }
    }

    NativeMemory functionRecords() {
        NativeMemory records = NativeMemory.allocate(functions.size() * FunctionStart.SIZE_BYTES);
        int at = 0;
        for (FunctionStart function : functions) {
            records.putInt(at, function.instruction()).putInt(at + 4, function.typeId());
            at += FunctionStart.SIZE_BYTES;
        }
        return records;
    }

    NativeMemory lineRecords() {
        NativeMemory records = NativeMemory.allocate(lines.size() * SourceLine.SIZE_BYTES);
        int at = 0;
        for (SourceLine line : lines) {
            records.putInt(at, line.instruction())
                    .putInt(at + 4, line.fileNameOffset())
                    .putInt(at + 8, line.lineOffset())
                    .putInt(at + 12, line.lineColumn());
            at += SourceLine.SIZE_BYTES;
        }
        return records;
    }

    /** A log of the verifier with the reason in the place of the number of a function that does not exist. */
    String explain(String log) {
        return UNKNOWN_CALL.matcher(log).replaceAll(found -> {
            String number = found.group(1);
            String reason = number.length() > 9 ? null : unresolved.get(Integer.parseInt(number));
            return Matcher.quoteReplacement(reason == null ? found.group() : "this kernel has no " + reason);
        });
    }
}
