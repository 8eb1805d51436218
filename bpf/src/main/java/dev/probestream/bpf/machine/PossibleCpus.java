package dev.probestream.bpf.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The CPUs that may ever come online. A per-CPU map has one value for each of these, in this order, whether the CPU is
 * online or not.
 *
 * @param ids in ascending order
 */
public record PossibleCpus(List<Integer> ids) {
    private static final Path SOURCE = Path.of("/sys/devices/system/cpu/possible");

    public PossibleCpus {
        ids = List.copyOf(ids);
    }

    /** {@return those of this machine} */
    public static PossibleCpus ofThisMachine() {
        try {
            return parse(Files.readString(SOURCE));
        } catch (IOException e) {
            throw new UncheckedIOException("read the possible CPUs from " + SOURCE, e);
        }
    }

    /**
     * Reads the kernel's list notation, such as {@code 0-3,8,10-11}.
     *
     * @param list such as {@code 0-3,8}
     * @return the CPUs
     * @throws IllegalArgumentException for anything else
     */
    public static PossibleCpus parse(String list) {
        List<Integer> ids = new ArrayList<>();
        for (String range : list.strip().split(",")) {
            String[] ends = range.split("-", 2);
            try {
                int first = Integer.parseInt(ends[0]);
                int last = ends.length == 1 ? first : Integer.parseInt(ends[1]);
                for (int cpu = first; cpu <= last; cpu++) {
                    ids.add(cpu);
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "'" + range + "' is not a CPU or range of CPUs in '" + list + "'", e);
            }
        }
        return new PossibleCpus(ids);
    }

    /** {@return how many there are} */
    public int count() {
        return ids.size();
    }
}
