package dev.probestream.bpf.proc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The memory mappings of a process at one moment. Immutable, and usable after the process has ended.
 *
 * <pre>
 * 7f3c1a000000-7f3c1a022000 r-xp 00002000 fe:01 1234    /usr/lib/libuv.so.1.0.0
 * start        end          perm offset   device inode  path, or [name], or nothing; maybe " (deleted)"
 * </pre>
 */
public final class ProcessMaps {
    private static final String DELETED = " (deleted)";

    /** Ascending by address, as the kernel writes them. */
    private final List<MappedRange> ranges;

    private ProcessMaps(List<MappedRange> ranges) {
        this.ranges = List.copyOf(ranges);
    }

    /**
     * No mappings, for a process whose maps cannot be read.
     *
     * @return no ranges
     */
    public static ProcessMaps empty() {
        return new ProcessMaps(List.of());
    }

    /**
     * {@return these ranges}
     *
     * @param ranges ascending by address, without overlaps
     */
    public static ProcessMaps of(List<MappedRange> ranges) {
        return new ProcessMaps(ranges);
    }

    /**
     * Reads /proc/PID/maps, which is empty for a process that is ending.
     *
     * @param pid of the process, in the pid namespace of this one
     * @return the ranges
     * @throws IOException if the file cannot be read or is malformed
     */
    public static ProcessMaps read(int pid) throws IOException {
        return parse(new String(Files.readAllBytes(Path.of("/proc/" + pid + "/maps")), UTF_8));
    }

    /**
     * Reads the text of a /proc/PID/maps and skips malformed lines.
     *
     * @param text what to read
     * @return the ranges
     */
    public static ProcessMaps parse(String text) {
        List<MappedRange> ranges = new ArrayList<>();
        text.lines().forEach(line -> parseLine(line).ifPresent(ranges::add));
        return new ProcessMaps(ranges);
    }

    /** {@return all ranges, ascending by address} */
    public List<MappedRange> ranges() {
        return ranges;
    }

    /**
     * {@return the range that contains an address}
     *
     * @param address in the process
     */
    public Optional<MappedRange> covering(long address) {
        int low = 0;
        int high = ranges.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(ranges.get(middle).end(), address) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < ranges.size() && ranges.get(low).covers(address) ? Optional.of(ranges.get(low)) : Optional.empty();
    }

    /** {@return the first executable range of each file, in the order of addresses} */
    public List<MappedRange> codeFiles() {
        List<MappedRange> files = new ArrayList<>();
        for (MappedRange range : ranges) {
            if (range.isFile() && range.isExecutable() && files.stream().noneMatch(file -> isSameFile(file, range))) {
                files.add(range);
            }
        }
        return files;
    }

    private static boolean isSameFile(MappedRange one, MappedRange other) {
        return one.inode() == other.inode() && one.path().equals(other.path());
    }

    private static Optional<MappedRange> parseLine(String line) {
        // Five fields, then the path, which may hold blanks.
        String[] fields = line.split(" +", 6);
        int dash = fields[0].indexOf('-');
        if (fields.length < 5 || dash < 0 || fields[1].length() < 4) {
            return Optional.empty();
        }
        try {
            long inode = Long.parseLong(fields[4]);
            String path = fields.length < 6 ? "" : fields[5].replace("\\012", "\n");
            boolean isDeleted = inode != 0 && path.endsWith(DELETED);
            return Optional.of(new MappedRange(
                    Long.parseUnsignedLong(fields[0].substring(0, dash), 16),
                    Long.parseUnsignedLong(fields[0].substring(dash + 1), 16),
                    fields[1].charAt(2) == 'x',
                    inode == 0 ? 0 : Long.parseUnsignedLong(fields[2], 16),
                    inode,
                    isDeleted ? path.substring(0, path.length() - DELETED.length()) : path,
                    isDeleted));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
