package dev.probestream.collector.internal.v8.code;

/** What came of the search for the position of a function that is executing. */
public enum PositionOutcome {
    FOUND,
    /** The function is a builtin of V8: it has no source. */
    BUILTIN,
    /** The pc or the bytecode offset was not recorded. */
    NOT_RECORDED,
    /** The function has no bytecode: it is not compiled, or its bytecode was thrown away. */
    NO_BYTECODE,
    /**
     * V8 has not made the positions of this function: without Node.js's request for those of all functions
     * (CpuProfiler::UseDetailedSourcePositionsForProfiling) it makes them when it first prints a stack with the function.
     */
    NOT_COLLECTED,
    /** No code of V8 is at the pc. */
    NO_CODE,
    /** The code at the pc is that of another function. */
    OTHER_FUNCTION,
    /** Memory could not be read, or held something else: code or functions have moved or are gone. */
    UNREADABLE,
    /** A table of V8 could not be understood. */
    MALFORMED
}
