package dev.probestream.collector.internal.v8.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.collector.internal.v8.NodeExecutables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class V8LayoutReaderTest {
    @TempDir
    Path folder;

    private static final Map<Path, V8Symbols> SYMBOLS = new HashMap<>();

    @BeforeAll
    static void readSymbols() throws Exception {
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                SYMBOLS.put(node, V8Symbols.read(elf));
            }
        }
    }

    /** The expected values are those that a debugger (llnode) and V8's own %DebugPrint show. */
    @Test
    void layoutOfEachNodeIsThatOfItsVersion() throws Exception {
        for (Map.Entry<Path, V8Symbols> node : SYMBOLS.entrySet()) {
            V8Layout layout = V8LayoutReader.layout(node.getValue());
            int major = layout.version().major();
            assertThat(layout.frames()).isEqualTo(new V8Layout.Frames(-8, -16, -32, -40));
            assertThat(layout.maps().instanceType()).isEqualTo(12);
            assertThat(layout.functions().shared()).isEqualTo(major < 12 ? 24 : 32);
            assertThat(layout.functions().code()).isEqualTo(major < 12 ? 48 : 24);
            assertThat(layout.sharedFunctions().nameOrScopeInfo()).isEqualTo(major < 13 ? 16 : 24);
            assertThat(layout.sharedFunctions().script()).isEqualTo(major < 13 ? 32 : 40);
            assertThat(layout.types().lastJsFunction() - layout.types().firstJsFunction())
                    .as(node.getKey().toString())
                    .isEqualTo(16);
        }
    }

    @Test
    void unknownLaterVersionIsReadWhereItsSymbolsAgree() throws Exception {
        assertThat(V8LayoutReader.layout(changed(new V8Version(14, 9, 0, 0), Map.of()))
                        .functions())
                .isEqualTo(V8LayoutReader.layout(changed(new V8Version(13, 6, 0, 0), Map.of()))
                        .functions());
    }

    @Test
    void versionWhoseSymbolsDisagreeIsRefused() {
        assertThatThrownBy(() -> V8LayoutReader.layout(
                        changed(new V8Version(15, 1, 0, 0), Map.of("class_Script__line_ends__Object", 64))))
                .isInstanceOf(V8LayoutException.class)
                .hasMessage("the layout of V8 15.1.0.0 is not known: Script.line_ends is at 64 instead of 56; known are"
                        + " 10.2 (Node.js 18), 11.3 (20), 12.4 (22), 13.6 (24), 14.1 (25) and 14.6 (26)");
    }

    @Test
    void olderVersionIsRefused() {
        assertThatThrownBy(() -> V8LayoutReader.layout(changed(new V8Version(9, 4, 146, 0), Map.of())))
                .hasMessage("V8 9.4.146.0 is older than 10.2 (Node.js 18): its objects cannot be read");
    }

    @Test
    void pointerCompressionIsRefused() {
        assertThatThrownBy(() -> V8LayoutReader.layout(
                        changed(new V8Version(13, 6, 0, 0), Map.of("TaggedSize", 4, "SmiShiftSize", 0))))
                .hasMessageContaining("pointer compression");
    }

    @Test
    void strippedFileIsRefused() throws Exception {
        ElfFixture.needs("strip");
        Path stripped = folder.resolve("node");
        ElfFixture.run(
                "strip", "-o", stripped.toString(), NodeExecutables.installed().toString());
        try (ElfFile elf = ElfFile.open(stripped)) {
            // Of some builds, the symbols are in .dynsym, too, and survive.
            if (elf.variableAddresses("v8dbg_").isEmpty()) {
                assertThatThrownBy(() -> V8LayoutReader.read(elf))
                        .isInstanceOf(V8LayoutException.class)
                        .hasMessageContaining("the file is stripped, and no debug file");
            } else {
                assertThat(V8LayoutReader.read(elf).frames().context()).isEqualTo(-8);
            }
        } finally {
            Files.delete(stripped);
        }
    }

    @Test
    void fileWithoutV8IsRefused() throws Exception {
        try (ElfFile elf = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
            assertThatThrownBy(() -> V8LayoutReader.read(elf)).hasMessageContaining("has no symbols v8dbg_*");
        }
    }

    /** The symbols that the installed node has, with another version and other values. */
    private static V8Symbols changed(V8Version version, Map<String, Integer> changes) throws Exception {
        Map<String, Integer> values = new TreeMap<>(NEWEST);
        values.putAll(changes);
        return new V8Symbols(version, values);
    }

    /** The symbols of Node 24 that the layout needs. */
    private static final Map<String, Integer> NEWEST = newest();

    private static Map<String, Integer> newest() {
        Map<String, Integer> values = new TreeMap<>();
        for (String line : List.of(NEWEST_TEXT.split("\n"))) {
            String[] words = line.trim().split(" ");
            values.put(words[0], Integer.parseInt(words[1]));
        }
        return values;
    }

    private static final String NEWEST_TEXT = """
            ConsStringTag 1
            ExternalStringTag 2
            FirstContextType 220
            FirstJSFunctionType 2065
            FirstNonstringType 128
            HeapObjectTag 1
            HeapObjectTagMask 3
            LastContextType 229
            LastJSFunctionType 2081
            OneByteStringTag 8
            SlicedStringTag 3
            SmiShiftSize 31
            StringRepresentationMask 7
            TaggedSize 8
            ThinStringTag 5
            class_ConsString__first__String 16
            class_ConsString__second__String 24
            class_ExternalString__resource__Object 16
            class_FixedArrayBase__length__SMI 8
            class_FixedArray__data__uintptr_t 16
            class_JSFunction__context__Context 40
            class_JSFunction__context__Tagged_Context_ 40
            class_JSFunction__prototype_or_initial_map__Tagged_UnionOf_JSPrototype_Map_Hole_ 56
            class_JSFunction__raw_feedback_cell__Tagged_FeedbackCell_ 48
            class_JSFunction__shared__SharedFunctionInfo 32
            class_Map__instance_type__uint16_t 12
            class_Script__compiled_lazy_function_positions__Tagged_Object_ 96
            class_Script__eval_from_position__SMI 80
            class_Script__eval_from_shared_or_wrapped_arguments__Tagged_Object_ 72
            class_Script__line_ends__Object 56
            class_Script__name__Object 16
            class_Script__source__Object 8
            class_Script__wasm_breakpoint_infos__Tagged_FixedArray_ 72
            class_Script__wasm_managed_native_module__Tagged_Object_ 80
            class_Script__wasm_weak_instance_list__Tagged_WeakArrayList_ 88
            class_SeqOneByteString__chars__char 16
            class_SeqTwoByteString__chars__char 16
            class_SharedFunctionInfo__feedback_metadata__Tagged_FeedbackMetadata_ 32
            class_SharedFunctionInfo__flags__int 56
            class_SharedFunctionInfo__internal_formal_parameter_count__uint16_t 50
            class_SharedFunctionInfo__length__uint16_t 48
            class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_ 24
            class_SharedFunctionInfo__raw_function_token_offset__int16_t 52
            class_SharedFunctionInfo__raw_script__Tagged_Object_ 40
            class_SharedFunctionInfo__script__Tagged_HeapObject_ 40
            class_SlicedString__offset__SMI 24
            class_SlicedString__parent__String 16
            class_String__length__int32_t 12
            class_ThinString__actual__String 16
            class_UncompiledData__end_position__int32_t 20
            class_UncompiledData__inferred_name__String 8
            class_UncompiledData__start_position__int32_t 16
            off_fp_bytecode_array -32
            off_fp_bytecode_offset -40
            off_fp_context_or_frame_type -8
            off_fp_function -16
            scopeinfo_idx_first_vars 5
            scopeinfo_idx_ncontextlocals 2
            scopeinfo_idx_nparams 1
            type_BytecodeArray__BYTECODE_ARRAY_TYPE 186
            type_DebugInfo__DEBUG_INFO_TYPE 154
            type_FixedArray__FIXED_ARRAY_TYPE 205
            type_JSFunction__JS_FUNCTION_TYPE 2065
            type_Map__MAP_TYPE 272
            type_Oddball__ODDBALL_TYPE 131
            type_ScopeInfo__SCOPE_INFO_TYPE 280
            type_Script__SCRIPT_TYPE 167
            type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE 282
            type_UncompiledDataWithPreparseDataAndJob__UNCOMPILED_DATA_WITH_PREPARSE_DATA_AND_JOB_TYPE 176
            type_UncompiledDataWithPreparseData__UNCOMPILED_DATA_WITH_PREPARSE_DATA_TYPE 175
            type_UncompiledDataWithoutPreparseDataWithJob__UNCOMPILED_DATA_WITHOUT_PREPARSE_DATA_WITH_JOB_TYPE 178
            type_UncompiledDataWithoutPreparseData__UNCOMPILED_DATA_WITHOUT_PREPARSE_DATA_TYPE 177
            """;
}
