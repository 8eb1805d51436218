package dev.probestream.collector.internal.v8.layout;

import dev.probestream.collector.internal.v8.layout.V8Layout.ScopeFlags;

/**
 * What no symbol of the binary gives of objects. The values of each version are in {@link KnownV8}.
 *
 * <p>ScopeInfo (v8/src/objects/scope-info.tq), in words from the flags on; [] stands for a part that may be missing:
 *
 * <pre>
 * flags, parameter count, local count, (since 12.x: start, end,)
 * (since 12.x: [module variable count: of a module],) locals' names (or one hash table), locals' properties,
 * [saved class variable], [function name, its slot], [inferred name], (until 12.x: [start, end],) [outer scope] ...
 * </pre>
 *
 * @param functionCode JSFunction.code: the word behind the feedback cell (18, 20), before it (22, 24): js-function.tq
 * @param sharedData SharedFunctionInfo.(trusted_)function_data: the first word behind the map: shared-function-info.tq
 * @param sharedUntrustedData SharedFunctionInfo.untrusted_function_data: the second word in 24; -1 without it
 * @param jsFunctionTypes how many instance types of functions follow JS_FUNCTION_TYPE: the constructors of typed
 *     arrays, Array, Promise, RegExp and of classes: the order of js-function.tq; FirstJSFunctionType and
 *     LastJSFunctionType give it in 22 and 24
 * @param debugInfoScript DebugInfo.script: debug-objects.tq
 * @param scriptSourceUrl Script.source_url; source_mapping_url is the next word: script.tq
 * @param moduleScopeType ScopeType::MODULE_SCOPE (globals.h), whose variable part begins with a count since 12.x; -1 before
 * @param scopeFlags ScopeInfo.flags: scope-info.tq
 */
record UnlistedFields(
        int functionCode,
        int sharedData,
        int sharedUntrustedData,
        int jsFunctionTypes,
        int debugInfoScript,
        int scriptSourceUrl,
        int moduleScopeType,
        ScopeFlags scopeFlags) {

    /** Script.line_offset, column_offset: between name (16) and line_ends (56), in all versions (script.tq). */
    static final int SCRIPT_LINE_OFFSET = 24;

    static final int SCRIPT_COLUMN_OFFSET = 32;
    /** Script.id: behind line_ends. */
    static final int SCRIPT_ID = 64;
    /** kScopeInfoMaxInlinedLocalNamesSize (v8/src/common/globals.h), in all versions. */
    static final int MAX_INLINED_LOCALS = 75;
    /** ExternalString.resource_data: the word behind the resource (string.tq). */
    static final int EXTERNAL_CHARACTERS = 24;

    /**
     * These fields lie between fields that symbols give; if a neighbour is elsewhere, the version has another layout. For a version that is
     * not in the table, this is the only check before the objects themselves.
     */
    void check(V8Symbols symbols) throws V8LayoutException {
        int feedbackCell = symbols.field("JSFunction", "raw_feedback_cell");
        int shared = symbols.field("JSFunction", "shared");
        boolean isCodeFirst = functionCode < shared;
        expect(symbols, "JSFunction.code", isCodeFirst ? shared - 8 : feedbackCell + 8, functionCode);
        int name = symbols.field("SharedFunctionInfo", "name_or_scope_info");
        expect(symbols, "SharedFunctionInfo.function_data", name - (sharedUntrustedData < 0 ? 8 : 16), sharedData);
        expect(symbols, "Script.name", symbols.field("Script", "name"), SCRIPT_LINE_OFFSET - 8);
        expect(symbols, "Script.line_ends", symbols.field("Script", "line_ends"), SCRIPT_ID - 8);
        expect(symbols, "Script.eval_from_position", symbols.field("Script", "eval_from_position"), SCRIPT_ID + 16);
        int lazyPositions = symbols.optionalField("Script", "compiled_lazy_function_positions")
                .orElse(SCRIPT_ID + 24);
        expect(symbols, "Script.source_url", lazyPositions + 16, scriptSourceUrl);
        expect(
                symbols,
                "ExternalString.resource",
                symbols.field("ExternalString", "resource"),
                EXTERNAL_CHARACTERS - 8);
        int firstVariables = symbols.required("scopeinfo_idx_first_vars");
        boolean isNewScopeInfo = sharedUntrustedData >= 0;
        expect(symbols, "ScopeInfo", firstVariables, isNewScopeInfo ? 5 : 3);
    }

    private static void expect(V8Symbols symbols, String what, int found, int expected) throws V8LayoutException {
        if (found != expected) {
            throw new V8LayoutException("the layout of V8 " + symbols.version() + " is not known: " + what + " is at "
                    + found + " instead of " + expected + "; known are " + KnownV8.names());
        }
    }
}
