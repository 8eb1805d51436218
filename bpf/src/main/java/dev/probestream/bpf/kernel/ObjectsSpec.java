package dev.probestream.bpf.kernel;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Maps and the programs that use them, not yet in the kernel.
 *
 * @param maps each with a name of its own; programs refer to them by these names
 * @param programs each with a name of its own
 * @param values what maps hold from the beginning
 * @param types BTF to which maps and programs refer, the first choice first: the kernel gets the first one that it
 *     accepts; empty for none
 */
public record ObjectsSpec(
        List<MapSpec> maps, List<ProgramSpec> programs, List<InitialValue> values, List<ByteBuffer> types) {
    public ObjectsSpec {
        maps = List.copyOf(maps);
        programs = List.copyOf(programs);
        values = List.copyOf(values);
        types = List.copyOf(types);
        requireDistinct("map", maps.stream().map(MapSpec::name));
        requireDistinct("program", programs.stream().map(ProgramSpec::name));
    }

    /**
     * Describes maps that are empty and programs that refer to no types.
     *
     * @param maps each with a name of its own
     * @param programs each with a name of its own
     */
    public ObjectsSpec(List<MapSpec> maps, List<ProgramSpec> programs) {
        this(maps, programs, List.of(), List.of());
    }

    /**
     * The first value of an array before any program runs: the variables of a section of an object.
     *
     * @param map the map's name
     * @param value as many bytes as a value of the map has
     * @param isFrozen whether it stays so: neither programs nor user space can change it
     */
    public record InitialValue(String map, ByteBuffer value, boolean isFrozen) {}

    /**
     * Creates the maps, then loads the programs, each in the order of its list. If one fails, those before it are
     * closed.
     *
     * @return the maps and programs; the caller closes them
     * @throws VerifierException when the verifier rejects a program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses a map or a program
     * @throws IllegalArgumentException when a program uses a map that is not in the list
     */
    public BpfObjects load() {
        return load(Map.of());
    }

    /**
     * The same for programs that use maps of others, too.
     *
     * @param others maps that stay the caller's, by the names by which programs refer to them; one of this list comes
     *     before another with the same name
     * @return the maps and programs of this; the caller closes them
     * @throws VerifierException when the verifier rejects a program
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses a map or a program
     * @throws IllegalArgumentException when a program uses a map that is in neither
     */
    public BpfObjects load(Map<String, BpfMap> others) {
        return BpfObjects.load(this, others);
    }

    private static void requireDistinct(String what, Stream<String> names) {
        Set<String> seen = new HashSet<>();
        names.forEach(name -> {
            if (!seen.add(name)) {
                throw new IllegalArgumentException("two " + what + "s have the name " + name);
            }
        });
    }
}
