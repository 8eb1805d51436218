package dev.probestream.collector.internal.v8.layout;

import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;

/**
 * What no symbol of the binary gives about code (v8/src/objects/code.h, instruction-stream.h, deoptimization-data.h, bytecode-array.tq,
 * v8/src/deoptimizer/translation-opcode.h, v8/src/codegen/safepoint-table.h). The values of each version are in
 * {@link KnownV8}. -1: the symbols give it, or there is none.
 */
record UnlistedCodeFields(
        int sourcePositions,
        boolean hasPositionFlags,
        int streamHeader,
        int streamCode,
        int instructionStart,
        int instructionSize,
        int flags,
        int deoptimizationData,
        int positionTable,
        int literals,
        int sharedFunctionInfo,
        int inliningPositions,
        Operations operations,
        Safepoints turbofanSafepoints,
        Safepoints maglevSafepoints) {

    /** InterpreterData.bytecode_array, the first word behind the map, in all versions (shared-function-info.tq). */
    static final int INTERPRETER_DATA_BYTECODE = 8;

    /**
     * Numbers of the operations of a translation.
     *
     * @param count how many there are
     * @param firstContinuation the second follows it
     * @param literal a value that is a constant; the one in a register and the one in a slot of the stack follow it
     * @param hasMatchPrevious the last is MATCH_PREVIOUS_TRANSLATION
     */
    record Operations(
            int count,
            int firstBegin,
            int lastBegin,
            int firstInterpreted,
            int lastInterpreted,
            int firstContinuation,
            int literal,
            boolean hasMatchPrevious) {}
}
