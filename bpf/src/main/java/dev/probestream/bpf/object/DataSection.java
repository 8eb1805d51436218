package dev.probestream.bpf.object;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.elf.RelocatableFile;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A section of variables, which becomes an array of one value: .data, .bss and .rodata, and what begins so.
 *
 * @param name of the section and of the map
 * @param section its number
 * @param typeId of its DATASEC; 0 = none, for strings
 * @param initial the contents in the file, zeros for .bss; not to be changed
 */
record DataSection(String name, int section, int typeId, ByteBuffer initial) {
    /** The kernel allocates an array of this size, and no program has as many variables. */
    private static final int MAX_BYTES = 1 << 26;

    private static final int MAX_SECTIONS = 64;

    boolean isConstant() {
        return isFamily(".rodata", name);
    }

    /** What programs see. */
    MapSpec map() {
        int flags = MapSpec.BPF_F_MMAPABLE | (isConstant() ? MapSpec.BPF_F_RDONLY_PROG : 0);
        return new MapSpec(name, MapType.ARRAY, Integer.BYTES, initial.capacity(), 1, flags, 0, typeId);
    }

    static List<DataSection> all(String file, RelocatableFile elf, BtfFile btf) throws IOException {
        List<DataSection> found = new ArrayList<>();
        long sum = 0;
        for (int i = 1; i < elf.sections().size(); i++) {
            RelocatableFile.Section section = elf.sections().get(i);
            String name = section.name();
            if (isData(name) && section.sizeBytes() != 0) {
                sum += section.sizeBytes();
                if (section.sizeBytes() > MAX_BYTES || sum > MAX_BYTES) {
                    throw new BpfObjectException(
                            file, name, 0, "has " + section.sizeBytes() + " bytes; at most " + MAX_BYTES + " are read");
                }
                if (found.size() == MAX_SECTIONS
                        || found.stream().anyMatch(other -> other.name().equals(name))) {
                    throw new BpfObjectException(
                            file, name, 0, "there are two sections of this name, or more than " + MAX_SECTIONS);
                }
                OptionalInt type = btf.typeId(name, BtfKind.DATA_SECTION);
                ByteBuffer bytes = section.bytes().capacity() == 0
                        ? ByteBuffer.allocate((int) section.sizeBytes())
                        : section.bytes();
                found.add(new DataSection(name, i, type.orElse(0), bytes));
            }
        }
        return List.copyOf(found);
    }

    static boolean isData(String section) {
        return isFamily(".data", section) || isFamily(".bss", section) || isFamily(".rodata", section);
    }

    private static boolean isFamily(String family, String name) {
        return name.equals(family) || name.startsWith(family + ".");
    }
}
