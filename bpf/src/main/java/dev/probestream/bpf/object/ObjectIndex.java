package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.BtfExtension;
import dev.probestream.bpf.btf.CoreRelocation;
import dev.probestream.bpf.elf.RelocatableFile.Relocation;
import dev.probestream.bpf.kernel.CompiledCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an object records about its functions and instructions, by their places. */
final class ObjectIndex {
    private final ObjectContents object;
    private final Map<Long, ObjectFunction> functionsByPlace = new HashMap<>();
    private final Map<String, ObjectFunction> subprograms = new HashMap<>();
    private final Map<Long, Relocation> relocations = new HashMap<>();
    private final Map<String, TreeMap<Integer, CoreRelocation>> coreRelocations = new HashMap<>();
    private final Map<String, Map<Integer, Integer>> functionTypes = new HashMap<>();
    private final Map<String, TreeMap<Integer, BtfExtension.Line>> lines = new HashMap<>();

    ObjectIndex(ObjectContents object) throws BpfObjectException {
        this.object = object;
        for (ObjectFunction function : object.functions()) {
            functionsByPlace.put(place(function.section(), function.start()), function);
            if (function.program().isEmpty()) {
                subprograms.put(function.name(), function);
            }
        }
        for (Relocation relocation : object.elf().relocations()) {
            long offset = relocation.offset();
            if (offset < 0 || offset > Integer.MAX_VALUE || offset % Instruction.SIZE_BYTES != 0) {
                throw object.malformed(relocation.section(), offset, "a relocation of no instruction");
            }
            relocations.put(place(relocation.section(), (int) (offset / Instruction.SIZE_BYTES)), relocation);
        }
        object.extension()
                .relocations()
                .forEach(relocation -> coreRelocations
                        .computeIfAbsent(relocation.section(), section -> new TreeMap<>())
                        .put(relocation.offsetBytes(), relocation));
        object.extension()
                .functions()
                .forEach(function -> functionTypes
                        .computeIfAbsent(function.section(), section -> new HashMap<>())
                        .put(function.offsetBytes(), function.typeId()));
        object.extension()
                .lines()
                .forEach(line -> lines.computeIfAbsent(line.section(), section -> new TreeMap<>())
                        .put(line.offsetBytes(), line));
    }

    /** The subprogram with a name. */
    ObjectFunction subprogram(String name) throws BpfObjectException {
        ObjectFunction function = subprograms.get(name);
        if (function == null) {
            throw new BpfObjectException(object.file(), ".text", 0, "there is no function " + name);
        }
        return function;
    }

    /** The function that begins there. */
    @Nullable
    ObjectFunction functionAt(int section, long instruction) {
        return instruction < 0 || instruction > Integer.MAX_VALUE
                ? null
                : functionsByPlace.get(place(section, (int) instruction));
    }

    /** The relocation of an instruction of a function. */
    @Nullable
    Relocation relocation(ObjectFunction function, int index) {
        return relocations.get(place(function.section(), function.start() + index));
    }

    /** The CO-RE relocations of a function, in the order of its instructions. */
    Collection<CoreRelocation> coreRelocations(ObjectFunction function) {
        return coreRelocations
                .getOrDefault(sectionName(function), new TreeMap<>())
                .subMap(firstByte(function), endByte(function))
                .values();
    }

    /** The BTF id of a function; empty if nothing is recorded. */
    OptionalInt type(ObjectFunction function) {
        Integer type =
                functionTypes.getOrDefault(sectionName(function), Map.of()).get(firstByte(function));
        return type == null ? OptionalInt.empty() : OptionalInt.of(type);
    }

    /** The lines of a function that begins at an instruction of a program. */
    List<CompiledCode.SourceLine> lines(ObjectFunction function, int start) {
        List<CompiledCode.SourceLine> all = new ArrayList<>();
        lines.getOrDefault(sectionName(function), new TreeMap<>())
                .subMap(firstByte(function), endByte(function))
                .values()
                .forEach(line -> all.add(new CompiledCode.SourceLine(
                        start + (line.offsetBytes() - firstByte(function)) / Instruction.SIZE_BYTES,
                        line.fileNameOffset(),
                        line.lineOffset(),
                        line.lineColumn())));
        return all;
    }

    /** The offset of a function's first instruction in its section. */
    static int firstByte(ObjectFunction function) {
        return function.start() * Instruction.SIZE_BYTES;
    }

    private static int endByte(ObjectFunction function) {
        return (function.start() + function.count()) * Instruction.SIZE_BYTES;
    }

    private String sectionName(ObjectFunction function) {
        return object.elf().sections().get(function.section()).name();
    }

    private static long place(int section, int instruction) {
        return ((long) section << 32) | instruction;
    }
}
