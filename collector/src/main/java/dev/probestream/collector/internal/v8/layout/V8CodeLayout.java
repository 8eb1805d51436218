package dev.probestream.collector.internal.v8.layout;

/**
 * Where one build of V8 keeps its code and what belongs to it: offsets in bytes from the start of an object (its tagged
 * pointer less 1), instance types, numbers of operations. Made by {@link V8CodeLayoutReader}; what the symbols do not
 * give comes from {@link UnlistedCodeFields}.
 *
 * @param hasPositionFlags whether code offsets in tables of positions are above 2 bits of flags, not signed (unlisted)
 */
public record V8CodeLayout(
        Bytecodes bytecodes,
        boolean hasPositionFlags,
        Codes codes,
        Deoptimization deoptimization,
        Translations translations,
        Safepoints turbofanSafepoints,
        Safepoints maglevSafepoints,
        Types types) {

    /**
     * BytecodeArray.
     *
     * @param length Smi (class_BytecodeArray__length; that of every FixedArray until 11.x)
     * @param sourcePositions a byte array; undefined or a Smi as long as V8 has not needed it (unlisted)
     * @param firstBytecode (class_BytecodeArray__data)
     * @param inInterpreterData the BytecodeArray of an InterpreterData (unlisted)
     * @param sizes of operations
     */
    public record Bytecodes(
            int length, int sourcePositions, int firstBytecode, int inInterpreterData, BytecodeSizes sizes) {
        /** From the number that frames and generators hold (the offset from the tagged pointer) to that of tables. */
        public int offset(int fromTaggedPointer) {
            return fromTaggedPointer - (firstBytecode - 1);
        }
    }

    /**
     * Code, and the InstructionStream that holds its instructions; until 10.x they are one object, Code.
     *
     * @param streamHeader from the start of the InstructionStream to its first instruction (unlisted; in 10.x
     *     class_Code__instruction_start)
     * @param streamCode the Code in an InstructionStream; -1 in 10.x, where they are one (unlisted)
     * @param instructionStart address of the first instruction; -1 in 10.x (class_Code__instruction_start, unlisted in
     *     11.x)
     * @param instructionSize int32; what safepoints need follows the instructions (class_Code__instruction_size, unlisted
     *     in 11.x)
     * @param flags uint32, the kind in its lowest bits (class_Code__flags, unlisted in 11.x)
     * @param kindMask (CodeKindFieldMask)
     * @param baselineKind (CodeKindBaseline); below it are builtins and what is no JavaScript
     * @param deoptimizationData of optimised code; of baseline code its BytecodeArray or InterpreterData
     *     (class_Code__deoptimization_data, else unlisted)
     * @param positionTable of baseline code the table of bytecode offsets (class_Code__bytecode_offset_table, else
     *     unlisted)
     */
    public record Codes(
            int streamHeader,
            int streamCode,
            int instructionStart,
            int instructionSize,
            int flags,
            int kindMask,
            int baselineKind,
            int deoptimizationData,
            int positionTable) {
        /** CodeKind (v8/src/objects/code-kind.h): BASELINE, MAGLEV, TURBOFAN follow each other in all versions. */
        public int maglevKind() {
            return baselineKind + 1;
        }

        public int turbofanKind() {
            return baselineKind + 2;
        }

        public boolean isStreamApart() {
            return streamCode >= 0;
        }
    }

    /**
     * DeoptimizationData, an array of words: v8/src/objects/deoptimization-data.h.
     *
     * @param literals index of the array of literals (DeoptimizationDataLiteralArrayIndex, unlisted in 10.x)
     * @param sharedFunctionInfo index of the function's SharedFunctionInfo (DeoptimizationDataSharedFunctionInfoIndex,
     *     unlisted in 10.x) or of a wrapper of it (DeoptimizationDataWrappedSharedFunctionInfoIndex)
     * @param inliningPositions index of the array of inlining positions (DeoptimizationDataInliningPositionsIndex, unlisted
     *     in 10.x)
     */
    public record Deoptimization(int literals, int sharedFunctionInfo, int inliningPositions) {
        /** Index of the byte array of translations. */
        public static final int TRANSLATIONS = 0;
        /** Words of an entry: bytecode offset, index into the translations, pc. */
        public static final int ENTRY_WORDS = 3;

        public static final int TRANSLATION_IN_ENTRY = 1;
        /** SharedFunctionInfoWrapper.shared_info, the first word behind the map. */
        public static final int IN_WRAPPER = 8;

        /** Index of the first entry: behind the start and the two counts of the exits. */
        public int firstEntry() {
            return inliningPositions + 4;
        }
    }

    /**
     * The operations of a translation (v8/src/deoptimizer/translation-opcode.h), as ranges of their numbers, ends included.
     *
     * @param firstBegin BEGIN, or BEGIN_WITHOUT_FEEDBACK and BEGIN_WITH_FEEDBACK (unlisted)
     * @param firstInterpreted INTERPRETED_FRAME, or ..._WITH_RETURN and ..._WITHOUT_RETURN (unlisted)
     * @param firstContinuation JAVASCRIPT_BUILTIN_CONTINUATION_FRAME and ..._WITH_CATCH_FRAME (unlisted)
     * @param literal LITERAL, behind it REGISTER and STACK_SLOT or TAGGED_STACK_SLOT, before it OPTIMIZED_OUT (unlisted)
     * @param matchPrevious MATCH_PREVIOUS_TRANSLATION, the last; -1 where translations are not shared, and operations are
     *     signed numbers (10.x)
     * @param operands how many each operation has (TranslationOpcodeOperandCount::counts)
     */
    public record Translations(
            int firstBegin,
            int lastBegin,
            int firstInterpreted,
            int lastInterpreted,
            int firstContinuation,
            int lastContinuation,
            int literal,
            int matchPrevious,
            OperandCounts operands) {
        /** A value that the code does not have where it is. */
        public int optimizedOut() {
            return literal - 1;
        }

        /** A value in a register. */
        public int register() {
            return literal + 1;
        }

        /** A value in a slot of the stack. */
        public int stackSlot() {
            return literal + 2;
        }
    }

    /** How many operands each operation of a translation has. */
    public static final class OperandCounts {
        private final int[] counts;

        OperandCounts(int[] counts) {
            this.counts = counts.clone();
        }

        /** How many operations there are. */
        public int size() {
            return counts.length;
        }

        public int of(int operation) {
            return counts[operation];
        }
    }

    /**
     * The table of safepoints behind the instructions (v8/src/codegen/safepoint-table.h): offsets from its start.
     *
     * @param length int32, how many entries
     * @param configuration uint32, the sizes of fields
     * @param entries the first
     * @param otherBytes in an entry, between the trampoline and the registers: number of spilled registers in Maglev's
     */
    public record Safepoints(int length, int configuration, int entries, int otherBytes) {}

    /**
     * @param byteArray (type_ByteArray)
     * @param trustedByteArray the same where there is none (type_TrustedByteArray, since 12.x)
     */
    public record Types(int code, int interpreterData, int byteArray, int trustedByteArray) {}
}
