package dev.probestream.bpf.kernel;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Maps and the programs that use them, not yet in the kernel.
 *
 * @param maps each with a name of its own; programs refer to them by these names
 * @param programs each with a name of its own
 */
public record ObjectsSpec(List<MapSpec> maps, List<ProgramSpec> programs) {
    public ObjectsSpec {
        maps = List.copyOf(maps);
        programs = List.copyOf(programs);
        requireDistinct("map", maps.stream().map(MapSpec::name));
        requireDistinct("program", programs.stream().map(ProgramSpec::name));
    }

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
        return BpfObjects.load(this);
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
