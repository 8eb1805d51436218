package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.elf.RelocatableFile;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A map that is declared in {@code SEC(".maps")}: a variable of a structure whose members say what the map is by their types
 * alone ({@code __uint(max_entries, 8)} is {@code int (*max_entries)[8]}, {@code __type(key, u32)} is {@code u32 *key}).
 *
 * @param name of the map
 * @param offset of the variable in .maps
 * @param spec the map; its sizes are 0 where the object leaves them to the loader
 */
record MapDefinition(String name, long offset, Declared spec) {
    /** What a declaration says; 0 where it says nothing. */
    record Declared(
            MapType type,
            int keySizeBytes,
            int valueSizeBytes,
            int maxEntries,
            int flags,
            int keyTypeId,
            int valueTypeId) {}

    private static final int KEY_BYTES = 0;
    private static final int VALUE_BYTES = 1;
    private static final int ENTRIES = 2;
    private static final int FLAGS = 3;
    private static final int KEY_TYPE = 4;
    private static final int VALUE_TYPE = 5;
    private static final int COUNT = 6;

    static final String SECTION = ".maps";

    /** The map; its sizes are the declared ones unless others are given. */
    MapSpec spec(@Nullable Integer maxEntries, @Nullable Integer valueSizeBytes, int cpuCount) {
        int entries = maxEntries == null ? spec.maxEntries() : maxEntries;
        if (entries == 0 && spec.type() == MapType.PERF_EVENT_ARRAY) {
            entries = cpuCount; // as in libbpf
        }
        return new MapSpec(
                name,
                spec.type(),
                spec.keySizeBytes(),
                valueSizeBytes == null ? spec.valueSizeBytes() : valueSizeBytes,
                entries,
                spec.flags(),
                spec.keyTypeId(),
                spec.valueTypeId());
    }

    static List<MapDefinition> all(String file, RelocatableFile elf, BtfFile btf) throws IOException {
        OptionalInt section = btf.typeId(SECTION, BtfKind.DATA_SECTION);
        List<MapDefinition> maps = new ArrayList<>();
        Map<String, Long> offsets = section.isPresent() ? offsets(elf) : Map.of();
        Set<String> names = new HashSet<>();
        for (int i = 0; section.isPresent() && i < btf.memberCount(section.getAsInt()); i++) {
            int variable = btf.variableId(section.getAsInt(), i);
            String name = btf.name(variable);
            Long offset = offsets.get(name);
            if (offset == null || !names.add(name)) {
                throw new BpfObjectException(file, SECTION, 0, "map '" + name + "' has no symbol, or there are two");
            }
            maps.add(new Reader(file, btf, name, offset).read(btf.bareId(btf.referredId(variable))));
        }
        return List.copyOf(maps);
    }

    private static Map<String, Long> offsets(RelocatableFile elf) {
        Map<String, Long> offsets = new HashMap<>();
        for (RelocatableFile.Symbol symbol : elf.symbols()) {
            if (symbol.section() > 0
                    && symbol.section() < elf.sections().size()
                    && elf.sections().get(symbol.section()).name().equals(SECTION)) {
                offsets.put(symbol.name(), symbol.value());
            }
        }
        return offsets;
    }

    private record Reader(String file, BtfFile btf, String name, long offset) {
        MapDefinition read(int structure) throws IOException {
            if (name.isEmpty() || structure == 0 || btf.kind(structure) != BtfKind.STRUCT) {
                throw malformed("map '" + name + "' is not declared as a structure");
            }
            MapType type = null;
            int[] numbers = new int[COUNT];
            for (int i = 0; i < btf.memberCount(structure); i++) {
                int member = btf.memberTypeId(structure, i);
                String memberName = btf.memberName(structure, i);
                switch (memberName) {
                    case "type" -> {
                        int number = number(member, memberName);
                        type = MapType.ofNumber(number)
                                .orElseThrow(() -> malformed("map " + name + " has the type " + number
                                        + " of enum bpf_map_type, which is not supported"));
                    }
                    case "key_size" -> numbers[KEY_BYTES] = number(member, memberName);
                    case "value_size" -> numbers[VALUE_BYTES] = number(member, memberName);
                    case "max_entries" -> numbers[ENTRIES] = number(member, memberName);
                    case "map_flags" -> numbers[FLAGS] = number(member, memberName);
                    case "key" -> {
                        numbers[KEY_TYPE] = pointee(member, memberName);
                        numbers[KEY_BYTES] = (int) btf.storageBytes(numbers[KEY_TYPE]);
                    }
                    case "value" -> {
                        numbers[VALUE_TYPE] = pointee(member, memberName);
                        numbers[VALUE_BYTES] = (int) btf.storageBytes(numbers[VALUE_TYPE]);
                    }
                    case "pinning" -> {
                        if (number(member, memberName) != 0) {
                            throw malformed("map " + name + " is to be pinned, which is not supported");
                        }
                    }
                    case "values" ->
                        throw malformed("map " + name + " has initial values (inner maps or programs), which is not"
                                + " supported");
                    default ->
                        throw malformed(
                                "map " + name + " has the attribute '" + memberName + "', which is not supported");
                }
            }
            if (type == null) {
                throw malformed("map " + name + " has no type");
            }
            if ((type == MapType.PERF_EVENT_ARRAY || type == MapType.PROG_ARRAY || type == MapType.CGROUP_ARRAY)
                    && numbers[VALUE_BYTES] == 0) {
                numbers[VALUE_BYTES] = Integer.BYTES; // descriptors
            }
            return new MapDefinition(
                    name,
                    offset,
                    new Declared(
                            type,
                            numbers[KEY_BYTES],
                            numbers[VALUE_BYTES],
                            numbers[ENTRIES],
                            numbers[FLAGS],
                            numbers[KEY_TYPE],
                            numbers[VALUE_TYPE]));
        }

        private int number(int member, String what) throws IOException {
            int pointer = btf.bareId(member);
            int array = pointer == 0 || btf.kind(pointer) != BtfKind.POINTER ? 0 : btf.bareId(btf.referredId(pointer));
            if (array == 0 || btf.kind(array) != BtfKind.ARRAY || btf.elementCount(array) > Integer.MAX_VALUE) {
                throw malformed("the " + what + " of map " + name + " is not declared by __uint");
            }
            return (int) btf.elementCount(array);
        }

        private int pointee(int member, String what) throws IOException {
            int pointer = btf.bareId(member);
            if (pointer == 0 || btf.kind(pointer) != BtfKind.POINTER) {
                throw malformed("the " + what + " of map " + name + " is not declared by __type");
            }
            return btf.referredId(pointer);
        }

        private BpfObjectException malformed(String problem) {
            return new BpfObjectException(file, SECTION, offset, problem);
        }
    }
}
