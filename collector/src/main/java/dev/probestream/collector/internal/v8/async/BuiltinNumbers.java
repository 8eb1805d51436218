package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The numbers of V8's builtins, by name: they differ with every version and every option of the build. They are the
 * indices of the table builtin_metadata (v8/src/builtins/builtins.cc), whose entries begin with a pointer to the name:
 *
 * <pre>
 * 0  8  name      8  4  kind      16  8  of the kind
 * </pre>
 */
record BuiltinNumbers(Map<String, Integer> byName) {
    /** Its mangled name has an L with some compilers, for what is static. */
    private static final List<String> TABLES = List.of(
            "_ZN2v88internal12_GLOBAL__N_116builtin_metadataE", "_ZN2v88internal12_GLOBAL__N_1L16builtin_metadataE");

    private static final int ENTRY_BYTES = 24;
    /** Node 24 has 2384. */
    private static final int MAX_ENTRIES = 8192;

    private static final int MAX_NAME_BYTES = 128;
    /** Kinds are CPP, TFJ, TFC, TFS, TFH, BCH, ASM, and a few more in later versions. */
    private static final int MAX_KIND = 15;

    static BuiltinNumbers read(ElfFile elf) throws IOException, V8LayoutException {
        OptionalLong table = OptionalLong.empty();
        for (String name : TABLES) {
            table = table.isPresent() ? table : elf.symbolAddress(name);
        }
        if (table.isEmpty()) {
            throw new V8LayoutException(
                    elf.name() + " has no symbol of V8's table of builtins (builtin_metadata): it is stripped in part");
        }
        Map<String, Integer> byName = new HashMap<>();
        for (int i = 0; i < MAX_ENTRIES; i++) {
            ByteBuffer entry = elf.bytesAt(table.getAsLong() + (long) i * ENTRY_BYTES, ENTRY_BYTES);
            entry.order(ByteOrder.LITTLE_ENDIAN);
            if (entry.remaining() < ENTRY_BYTES || Integer.compareUnsigned(entry.getInt(8), MAX_KIND) > 0) {
                break;
            }
            String name = name(elf.bytesAt(entry.getLong(0), MAX_NAME_BYTES));
            if (name.isEmpty()) {
                break;
            }
            byName.putIfAbsent(name, i);
        }
        if (byName.isEmpty()) {
            throw new V8LayoutException("V8's table of builtins in " + elf.name()
                    + " has no names: they are relocated when the program starts (it is position independent)");
        }
        return new BuiltinNumbers(Map.copyOf(byName));
    }

    /** What stands before a zero, if it is a name. */
    private static String name(ByteBuffer bytes) {
        int length = 0;
        while (length < bytes.remaining() && bytes.get(bytes.position() + length) != 0) {
            length++;
        }
        byte[] name = new byte[length];
        bytes.get(bytes.position(), name);
        String text = new String(name, StandardCharsets.ISO_8859_1);
        // Thousands of names, and the JVM has just started: no lambda for each character.
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (!(c == '_' || (c < 128 && Character.isLetterOrDigit(c)))) {
                return "";
            }
        }
        return text;
    }
}
