package dev.probestream.collector.internal.v8.layout;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.layout.V8Layout.Arrays;
import dev.probestream.collector.internal.v8.layout.V8Layout.Frames;
import dev.probestream.collector.internal.v8.layout.V8Layout.Functions;
import dev.probestream.collector.internal.v8.layout.V8Layout.Maps;
import dev.probestream.collector.internal.v8.layout.V8Layout.Scopes;
import dev.probestream.collector.internal.v8.layout.V8Layout.Scripts;
import dev.probestream.collector.internal.v8.layout.V8Layout.SharedFunctions;
import dev.probestream.collector.internal.v8.layout.V8Layout.Strings;
import dev.probestream.collector.internal.v8.layout.V8Layout.Types;
import dev.probestream.collector.internal.v8.layout.V8Layout.UncompiledFunctions;
import java.io.IOException;
import java.util.stream.IntStream;

/** Reads the layout of V8's objects from the symbols of the file that contains V8: a node, or a library. */
public final class V8LayoutReader {
    private V8LayoutReader() {}

    /**
     * @throws V8LayoutException if the layout is not known; the message is a reason for the user
     * @throws IOException if the file cannot be read or is malformed
     */
    public static V8Layout read(ElfFile elf) throws IOException, V8LayoutException {
        return layout(V8Symbols.read(elf));
    }

    /** The same from symbols that were read. */
    public static V8Layout layout(V8Symbols symbols) throws V8LayoutException {
        refuseOtherWords(symbols);
        UnlistedFields unlisted = KnownV8.fields(symbols);
        return new V8Layout(
                symbols.version(),
                frames(symbols),
                new Maps(symbols.field("Map", "instance_type")),
                new Functions(
                        symbols.field("JSFunction", "shared"),
                        symbols.field("JSFunction", "context"),
                        symbols.optionalField("JSFunction", "code").orElse(unlisted.functionCode())),
                sharedFunctions(symbols, unlisted),
                new UncompiledFunctions(
                        symbols.field("UncompiledData", "inferred_name"),
                        symbols.field("UncompiledData", "start_position"),
                        symbols.field("UncompiledData", "end_position")),
                scopes(symbols, unlisted),
                scripts(symbols, unlisted),
                new Arrays(symbols.field("FixedArrayBase", "length"), symbols.field("FixedArray", "data")),
                strings(symbols),
                types(symbols, unlisted));
    }

    /** Pointer compression makes words of 4 bytes: every offset differs, and pointers are relative to a base. */
    private static void refuseOtherWords(V8Symbols symbols) throws V8LayoutException {
        int taggedSize = symbols.required("TaggedSize");
        int smiShift = symbols.required("SmiShiftSize");
        if (taggedSize == 4) {
            throw new V8LayoutException("this V8 " + symbols.version()
                    + " is built with pointer compression, which is not supported (official Node.js is built without)");
        }
        if (taggedSize != 8
                || smiShift != 31
                || symbols.required("HeapObjectTag") != 1
                || symbols.required("HeapObjectTagMask") != 3) {
            throw new V8LayoutException("this V8 " + symbols.version() + " has words of " + taggedSize
                    + " bytes and Smis shifted by " + smiShift + " + 1, instead of 8 and 31 + 1");
        }
    }

    private static Frames frames(V8Symbols symbols) throws V8LayoutException {
        return new Frames(
                symbols.required("off_fp_context_or_frame_type"),
                symbols.required("off_fp_function"),
                symbols.required("off_fp_bytecode_array"),
                symbols.required("off_fp_bytecode_offset"));
    }

    private static SharedFunctions sharedFunctions(V8Symbols symbols, UnlistedFields unlisted)
            throws V8LayoutException {
        String type = "SharedFunctionInfo";
        return new SharedFunctions(
                symbols.optionalField(type, "function_data").orElse(unlisted.sharedData()),
                unlisted.sharedUntrustedData(),
                symbols.field(type, "name_or_scope_info"),
                symbols.field(type, "script", "script_or_debug_info"),
                symbols.field(type, "raw_function_token_offset"),
                symbols.field(type, "flags"),
                unlisted.debugInfoScript());
    }

    private static Scopes scopes(V8Symbols symbols, UnlistedFields unlisted) throws V8LayoutException {
        int firstVariables = symbols.required("scopeinfo_idx_first_vars");
        return new Scopes(
                symbols.field("FixedArrayBase", "length"),
                symbols.required("scopeinfo_idx_nparams"),
                symbols.required("scopeinfo_idx_ncontextlocals"),
                firstVariables,
                firstVariables == 5,
                UnlistedFields.MAX_INLINED_LOCALS,
                unlisted.moduleScopeType(),
                unlisted.scopeFlags());
    }

    private static Scripts scripts(V8Symbols symbols, UnlistedFields unlisted) throws V8LayoutException {
        return new Scripts(
                symbols.field("Script", "source"),
                symbols.field("Script", "name"),
                UnlistedFields.SCRIPT_LINE_OFFSET,
                UnlistedFields.SCRIPT_COLUMN_OFFSET,
                symbols.field("Script", "line_ends"),
                UnlistedFields.SCRIPT_ID,
                unlisted.scriptSourceUrl(),
                unlisted.scriptSourceUrl() + 8);
    }

    private static Strings strings(V8Symbols symbols) throws V8LayoutException {
        expect(symbols, "FirstNonstringType", Strings.FIRST_NONSTRING_TYPE);
        expect(symbols, "StringRepresentationMask", Strings.REPRESENTATION_MASK);
        expect(symbols, "OneByteStringTag", Strings.ONE_BYTE);
        expect(symbols, "ConsStringTag", Strings.CONS);
        expect(symbols, "ExternalStringTag", Strings.EXTERNAL);
        expect(symbols, "SlicedStringTag", Strings.SLICED);
        expect(symbols, "ThinStringTag", Strings.THIN);
        return new Strings(
                symbols.field("String", "length"),
                symbols.field("SeqOneByteString", "chars"),
                symbols.field("SeqTwoByteString", "chars"),
                symbols.field("ConsString", "first"),
                symbols.field("ConsString", "second"),
                symbols.field("SlicedString", "parent"),
                symbols.field("SlicedString", "offset"),
                symbols.field("ThinString", "actual"),
                symbols.field("ExternalString", "resource"),
                UnlistedFields.EXTERNAL_CHARACTERS);
    }

    private static void expect(V8Symbols symbols, String name, int value) throws V8LayoutException {
        if (symbols.required(name) != value) {
            throw new V8LayoutException("strings of V8 " + symbols.version() + " cannot be read: v8dbg_" + name + " is "
                    + symbols.required(name) + " instead of " + value);
        }
    }

    private static Types types(V8Symbols symbols, UnlistedFields unlisted) throws V8LayoutException {
        int firstFunction = symbols.optional("FirstJSFunctionType").orElse(symbols.type("JSFunction"));
        int[] uncompiled = {
            symbols.type("UncompiledDataWithPreparseData"),
            symbols.type("UncompiledDataWithPreparseDataAndJob"),
            symbols.type("UncompiledDataWithoutPreparseData"),
            symbols.type("UncompiledDataWithoutPreparseDataWithJob")
        };
        return new Types(
                firstFunction,
                symbols.optional("LastJSFunctionType").orElse(firstFunction + unlisted.jsFunctionTypes() - 1),
                symbols.required("FirstContextType"),
                symbols.required("LastContextType"),
                symbols.type("Map"),
                symbols.type("SharedFunctionInfo"),
                symbols.type("ScopeInfo"),
                symbols.type("Script"),
                symbols.type("DebugInfo"),
                symbols.type("FixedArray"),
                symbols.type("Oddball"),
                symbols.type("BytecodeArray"),
                IntStream.of(uncompiled).min().orElseThrow(),
                IntStream.of(uncompiled).max().orElseThrow());
    }
}
