package dev.probestream.collector.internal.v8.layout;

import dev.probestream.collector.internal.v8.layout.V8CodeLayout.Safepoints;

/**
 * What no symbol of the binary gives about code, by version of V8; see {@link UnlistedFields}. Each was taken from the
 * sources of that version (v8/src/objects/code.h, instruction-stream.h, deoptimization-data.h, bytecode-array.tq,
 * v8/src/deoptimizer/translation-opcode.h, v8/src/codegen/safepoint-table.h) and compared with the memory of the
 * official binary. -1: the symbols give it, or there is none.
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

    private static final Safepoints TURBOFAN = new Safepoints(0, 4, 8, 0);
    /** Behind the configuration stand the numbers of tagged and untagged slots. */
    private static final Safepoints MAGLEV = new Safepoints(0, 4, 16, 1);
    /** Since 13.x the number of stack slots comes first. */
    private static final Safepoints TURBOFAN_24 = new Safepoints(4, 8, 12, 0);

    private static final Safepoints MAGLEV_24 = new Safepoints(4, 8, 16, 1);

    /** V8 10.2 (Node 18). */
    private static final UnlistedCodeFields OF_18 = new UnlistedCodeFields(
            32,
            false,
            -1,
            -1,
            -1,
            -1,
            -1,
            16,
            24,
            2,
            6,
            7,
            new Operations(28, 3, 3, 18, 18, 19, 22, false),
            TURBOFAN,
            MAGLEV);
    /** V8 11.3 (Node 20). */
    private static final UnlistedCodeFields OF_20 = new UnlistedCodeFields(
            32,
            false,
            16,
            8,
            40,
            56,
            48,
            16,
            24,
            2,
            6,
            7,
            new Operations(36, 2, 3, 23, 24, 25, 29, true),
            TURBOFAN,
            MAGLEV);
    /** V8 12.4 (Node 22). */
    private static final UnlistedCodeFields OF_22 = new UnlistedCodeFields(
            24,
            false,
            32,
            8,
            40,
            52,
            48,
            8,
            16,
            2,
            6,
            7,
            new Operations(40, 12, 13, 0, 1, 2, 33, true),
            TURBOFAN,
            MAGLEV);
    /** V8 13.6 (Node 24). */
    private static final UnlistedCodeFields OF_24 = since13(false);
    /** V8 14.1 (Node 25) and 14.6 (Node 26). */
    private static final UnlistedCodeFields OF_25 = since13(true);

    private static UnlistedCodeFields since13(boolean hasPositionFlags) {
        Operations operations = new Operations(45, 14, 15, 0, 1, 2, 38, true);
        return new UnlistedCodeFields(
                24, hasPositionFlags, 32, 8, 40, 56, 52, 8, 16, 3, 7, 8, operations, TURBOFAN_24, MAGLEV_24);
    }

    /** Only versions whose code has been read: unlike objects, translations cannot be checked by types. */
    static UnlistedCodeFields of(V8Version version) throws V8LayoutException {
        if (version.isAtLeast(14, 1) && !version.isAtLeast(14, 7)) {
            return OF_25;
        }
        return switch (version.major() + "." + version.minor()) {
            case "10.2" -> OF_18;
            case "11.3" -> OF_20;
            case "12.4" -> OF_22;
            case "13.6" -> OF_24;
            default ->
                throw new V8LayoutException(
                        "the layout of code of V8 " + version + " is not known, so that lines of calls"
                                + " and inlined functions are not shown; known are 10.2 (Node.js 18), 11.3 (20), 12.4 (22), 13.6"
                                + " (24) and 14.1 to 14.6 (25, 26)");
        };
    }

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
