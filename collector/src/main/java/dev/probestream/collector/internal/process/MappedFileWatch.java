package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Detects files that processes have newly mapped. For a process without new mappings, a check costs one read of
 * /proc/PID/maps and a byte comparison.
 */
public final class MappedFileWatch {
    private final Map<Integer, Seen> byPid = new HashMap<>();

    private static final class Seen {
        final Set<String> files = new HashSet<>();
        byte[] maps = new byte[0];
    }

    /**
     * Returns the files with executable mappings that no earlier call returned; the first call returns all. Empty if
     * the process has exited.
     */
    public List<ProbedFile> newFiles(int pid) {
        Seen seen = byPid.computeIfAbsent(pid, unused -> new Seen());
        try {
            byte[] maps = Files.readAllBytes(ProcFile.of(pid, "maps"));
            if (Arrays.equals(maps, seen.maps)) {
                return List.of();
            }
            seen.maps = maps;
            return newFiles(pid, seen, ProcessMaps.parse(new String(maps, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            byPid.remove(pid);
            return List.of();
        }
    }

    /** Forgets all processes but these. Call it when processes have exited, because their pids may be reused. */
    public void retain(Set<Integer> pids) {
        byPid.keySet().retainAll(pids);
    }

    private static List<ProbedFile> newFiles(int pid, Seen seen, ProcessMaps maps) throws IOException {
        List<MappedRange> ranges = maps.codeFiles().stream()
                .filter(range -> seen.files.add(range.inode() + " " + range.path()))
                .toList();
        List<ProbedFile> files = new ArrayList<>();
        if (!ranges.isEmpty()) {
            ProcessFiles process = ProcessFiles.of(pid);
            for (MappedRange range : ranges) {
                process.probed(range).ifPresent(files::add);
            }
        }
        return files;
    }
}
