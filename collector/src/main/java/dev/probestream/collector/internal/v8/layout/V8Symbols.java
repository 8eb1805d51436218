package dev.probestream.collector.internal.v8.layout;

import dev.probestream.bpf.elf.ElfFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The constants that V8 leaves in its binary for debuggers: variables {@code v8dbg_*}, 32-bit integers in the data,
 * made by v8/tools/gen-postmortem-metadata.py. The name of a field ends in its C++ type, which differs between versions
 * ({@code v8dbg_class_JSFunction__code__CodeT}), so that a field is looked up by the part before it.
 */
public final class V8Symbols {
    private static final String PREFIX = "v8dbg_";
    /** v8::internal::Version, whose static members are the version (v8/src/utils/version.h). */
    private static final String VERSION = "_ZN2v88internal7Version";

    private static final int VALUE_BYTES = 4;

    private final V8Version version;
    /** By name without {@link #PREFIX}. */
    private final TreeMap<String, Integer> values;

    V8Symbols(V8Version version, Map<String, Integer> values) {
        this.version = version;
        this.values = new TreeMap<>(values);
    }

    public static V8Symbols read(ElfFile elf) throws IOException, V8LayoutException {
        Map<String, Long> addresses = elf.variableAddresses(PREFIX, VERSION);
        TreeMap<String, Integer> values = new TreeMap<>();
        for (Map.Entry<String, Long> symbol : addresses.entrySet()) {
            if (symbol.getKey().startsWith(PREFIX)) {
                OptionalInt value = intAt(elf, symbol.getValue());
                if (value.isPresent()) {
                    values.put(symbol.getKey().substring(PREFIX.length()), value.getAsInt());
                }
            }
        }
        if (values.isEmpty()) {
            throw new V8LayoutException(elf.name() + " has no symbols v8dbg_*, which give the layout of V8's objects"
                    + (elf.isStripped()
                            ? ": the file is stripped, and no debug file with its build id was found (install"
                                    + " the debug symbols of this Node.js, or use an official binary)"
                            : ": V8 was built without them (use an official binary, or configure Node.js"
                                    + " with v8_postmortem_support)"));
        }
        return new V8Symbols(version(elf, addresses), values);
    }

    public V8Version version() {
        return version;
    }

    /** All of them, by name without {@code v8dbg_}. */
    Map<String, Integer> values() {
        return Collections.unmodifiableMap(values);
    }

    /** The value of the symbol of exactly this name, without {@code v8dbg_}. */
    public OptionalInt optional(String name) {
        Integer value = values.get(name);
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    /** @throws V8LayoutException if there is no such symbol */
    public int required(String name) throws V8LayoutException {
        return optional(name).orElseThrow(() -> missing(name));
    }

    /**
     * The offset of {@code class_TYPE__FIELD__*} in bytes from the start of the object; empty where there is no such
     * symbol, and where several differ.
     */
    public OptionalInt optionalField(String type, String field) {
        String start = "class_" + type + "__" + field + "__";
        int[] offsets = values.subMap(start, start + Character.MAX_VALUE).values().stream()
                .mapToInt(Integer::intValue)
                .distinct()
                .toArray();
        return offsets.length == 1 ? OptionalInt.of(offsets[0]) : OptionalInt.empty();
    }

    /** As {@link #optionalField}, with the names that several versions of V8 use, the first found. */
    public int field(String type, String... names) throws V8LayoutException {
        for (String name : names) {
            OptionalInt offset = optionalField(type, name);
            if (offset.isPresent()) {
                return offset.getAsInt();
            }
        }
        throw missing("class_" + type + "__" + String.join("/", names));
    }

    /** The instance type of a class; empty where no symbol gives it. */
    public OptionalInt optionalType(String type) {
        String start = "type_" + type + "__";
        int[] types = values.subMap(start, start + Character.MAX_VALUE).values().stream()
                .mapToInt(Integer::intValue)
                .distinct()
                .toArray();
        return types.length == 1 ? OptionalInt.of(types[0]) : OptionalInt.empty();
    }

    /** @throws V8LayoutException if no symbol gives the instance type of the class */
    public int type(String type) throws V8LayoutException {
        return optionalType(type).orElseThrow(() -> missing("type_" + type));
    }

    V8LayoutException missing(String name) {
        return new V8LayoutException(
                "V8 " + version + " has no symbol v8dbg_" + name + ", so that its objects cannot be read");
    }

    private static V8Version version(ElfFile elf, Map<String, Long> addresses) throws IOException, V8LayoutException {
        int[] parts = new int[4];
        String[] names = {"6major_E", "6minor_E", "6build_E", "6patch_E"};
        for (int i = 0; i < parts.length; i++) {
            Long address = addresses.get(VERSION + names[i]);
            OptionalInt value = address == null ? OptionalInt.empty() : intAt(elf, address);
            if (value.isEmpty()) {
                throw new V8LayoutException(elf.name() + " does not contain its version of V8: the symbol " + VERSION
                        + names[i] + " is missing");
            }
            parts[i] = value.getAsInt();
        }
        return new V8Version(parts[0], parts[1], parts[2], parts[3]);
    }

    /** Empty for what is not in the file: .bss. */
    private static OptionalInt intAt(ElfFile elf, long virtualAddress) throws IOException {
        ByteBuffer bytes = elf.bytesAt(virtualAddress, VALUE_BYTES);
        return bytes.remaining() < VALUE_BYTES
                ? OptionalInt.empty()
                : OptionalInt.of(bytes.order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.position()));
    }
}
