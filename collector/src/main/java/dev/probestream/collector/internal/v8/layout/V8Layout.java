package dev.probestream.collector.internal.v8.layout;

/**
 * Where one build of V8 keeps what: offsets in bytes from the start of an object (its tagged pointer less 1), instance
 * types, frame types. Made by {@link V8LayoutReader}; each component names the symbol {@code v8dbg_*} that it comes
 * from, or {@link UnlistedFields}.
 *
 * <p>Words are 8 bytes, little-endian. A tagged word whose lowest bit is 1 points to an object; one whose lower 32 bits
 * are 0 is a Smi, its value in the upper 32 bits.
 */
public record V8Layout(
        V8Version version,
        Frames frames,
        Maps maps,
        Functions functions,
        SharedFunctions sharedFunctions,
        UncompiledFunctions uncompiledFunctions,
        Scopes scopes,
        Scripts scripts,
        Arrays arrays,
        Strings strings,
        Types types) {

    /**
     * Offsets from the frame pointer of a JavaScript frame, all negative, and frame types.
     *
     * @param context the context of a JavaScript frame, tagged; else the frame type, shifted left by 1
     *     (off_fp_context_or_frame_type)
     * @param function JSFunction (off_fp_function)
     * @param bytecodeArray of an interpreted or baseline frame (off_fp_bytecode_array)
     * @param bytecodeOffset Smi, of an interpreted frame (off_fp_bytecode_offset)
     */
    public record Frames(int context, int function, int bytecodeArray, int bytecodeOffset) {}

    /** @param instanceType uint16 (class_Map__instance_type) */
    public record Maps(int instanceType) {}

    /**
     * JSFunction.
     *
     * @param shared SharedFunctionInfo (class_JSFunction__shared)
     * @param context (class_JSFunction__context)
     * @param code the current code: a Code; in 18 a CodeDataContainer or Code (class_JSFunction__code, unlisted in 20
     *     and 24)
     */
    public record Functions(int shared, int context, int code) {}

    /**
     * SharedFunctionInfo.
     *
     * @param data its bytecode, baseline code, UncompiledData or the number of a builtin; in 24 the trusted half of these
     *     (class_SharedFunctionInfo__function_data, unlisted since 22)
     * @param untrustedData the other half; -1 where there is one field for both (unlisted)
     * @param nameOrScopeInfo a String, a ScopeInfo or a Smi, which means no name
     *     (class_SharedFunctionInfo__name_or_scope_info)
     * @param script Script; in 18 and 20 possibly a DebugInfo (class_SharedFunctionInfo__script, __script_or_debug_info)
     * @param functionTokenOffset uint16 (class_SharedFunctionInfo__raw_function_token_offset)
     * @param flags uint32 (class_SharedFunctionInfo__flags)
     * @param debugInfoScript the script in a DebugInfo (unlisted)
     */
    public record SharedFunctions(
            int data,
            int untrustedData,
            int nameOrScopeInfo,
            int script,
            int functionTokenOffset,
            int flags,
            int debugInfoScript) {}

    /**
     * UncompiledData: what is known of a function before it is compiled.
     *
     * @param inferredName (class_UncompiledData__inferred_name)
     * @param startPosition int32 (class_UncompiledData__start_position)
     * @param endPosition int32 (class_UncompiledData__end_position)
     */
    public record UncompiledFunctions(int inferredName, int startPosition, int endPosition) {}

    /**
     * ScopeInfo, a sequence of words whose number depends on its flags; drawn in {@link UnlistedFields}.
     *
     * @param firstSlot of the flags: the first word behind the map (class_FixedArrayBase__length, same place)
     * @param parameterCountSlot Smi; slots are counted from the flags (scopeinfo_idx_nparams)
     * @param localCountSlot Smi: how many locals are in the context (scopeinfo_idx_ncontextlocals)
     * @param firstVariableSlot where the variable part begins (scopeinfo_idx_first_vars)
     * @param hasPositionsInHeader whether the start and end position stand before the variable part (first_vars is 5)
     * @param maxInlinedLocals with fewer locals, their names are in the ScopeInfo; else in a hash table (unlisted)
     * @param moduleScopeType the type of scope whose variable part begins with a count, that of an ECMAScript module; -1
     *     if there is none (unlisted)
     * @param flagBits where the flags are (unlisted)
     */
    public record Scopes(
            int firstSlot,
            int parameterCountSlot,
            int localCountSlot,
            int firstVariableSlot,
            boolean hasPositionsInHeader,
            int maxInlinedLocals,
            int moduleScopeType,
            ScopeFlags flagBits) {}

    /**
     * The bits of ScopeInfo's flags that decide which words follow, as numbers of bits from the lowest (unlisted).
     *
     * @param scopeType 4 bits
     * @param hasSavedClassVariable 1 bit
     * @param functionVariable 2 bits; 0: there is no function name
     * @param hasInferredFunctionName 1 bit
     * @param hasPositions which scopes have positions: a set of scope types, as bits
     */
    public record ScopeFlags(
            int scopeType,
            int hasSavedClassVariable,
            int functionVariable,
            int hasInferredFunctionName,
            int hasPositions) {}

    /**
     * Script.
     *
     * @param source String or undefined (class_Script__source)
     * @param name a String, usually (class_Script__name)
     * @param lineOffset Smi: line of the source's first line in its resource, from 0 (unlisted)
     * @param columnOffset Smi: column of the source's first character (unlisted)
     * @param lineEnds FixedArray of Smis, or undefined or a Smi as long as V8 has not needed them
     *     (class_Script__line_ends)
     * @param id Smi (unlisted)
     * @param sourceUrl String of {@code //# sourceURL=}, or undefined (unlisted)
     * @param sourceMappingUrl String of {@code //# sourceMappingURL=}, or undefined (unlisted)
     */
    public record Scripts(
            int source,
            int name,
            int lineOffset,
            int columnOffset,
            int lineEnds,
            int id,
            int sourceUrl,
            int sourceMappingUrl) {}

    /**
     * FixedArray.
     *
     * @param length Smi (class_FixedArrayBase__length)
     * @param elements the first (class_FixedArray__data)
     */
    public record Arrays(int length, int elements) {}

    /**
     * String.
     *
     * @param length int32, in characters (class_String__length)
     * @param oneByteCharacters (class_SeqOneByteString__chars)
     * @param twoByteCharacters (class_SeqTwoByteString__chars)
     * @param consFirst (class_ConsString__first)
     * @param consSecond (class_ConsString__second)
     * @param slicedParent (class_SlicedString__parent)
     * @param slicedOffset Smi (class_SlicedString__offset)
     * @param thinActual (class_ThinString__actual)
     * @param externalResource (class_ExternalString__resource)
     * @param externalCharacters address of the characters, of external strings that are not uncached: the word behind
     *     the resource (unlisted)
     */
    public record Strings(
            int length,
            int oneByteCharacters,
            int twoByteCharacters,
            int consFirst,
            int consSecond,
            int slicedParent,
            int slicedOffset,
            int thinActual,
            int externalResource,
            int externalCharacters) {
        /** Of the instance types of strings: those below are strings (FirstNonstringType). */
        public static final int FIRST_NONSTRING_TYPE = 128;
        /** StringRepresentationMask. */
        public static final int REPRESENTATION_MASK = 7;
        /** StringEncodingMask, OneByteStringTag. */
        public static final int ONE_BYTE = 8;
        /** kUncachedExternalStringMask (v8/src/objects/instance-type.h): the characters' address is not in the String. */
        public static final int UNCACHED_EXTERNAL = 16;

        public static final int SEQUENTIAL = 0;
        public static final int CONS = 1;
        public static final int EXTERNAL = 2;
        public static final int SLICED = 3;
        public static final int THIN = 5;
    }

    /**
     * Instance types (type_*; the range of functions is FirstJSFunctionType to LastJSFunctionType, unlisted in 18 and
     * 20).
     */
    public record Types(
            int firstJsFunction,
            int lastJsFunction,
            int firstContext,
            int lastContext,
            int map,
            int sharedFunctionInfo,
            int scopeInfo,
            int script,
            int debugInfo,
            int fixedArray,
            int oddball,
            int bytecodeArray,
            int firstUncompiledData,
            int lastUncompiledData) {}
}
