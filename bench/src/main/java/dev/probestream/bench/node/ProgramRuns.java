package dev.probestream.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How often BPF programs ran, by /proc/PID/fdinfo of the process that loaded them, while
 * {@link dev.probestream.bpf.kernel.RunStatistics} is open.
 *
 * @param atFunctions runs of programs at functions (BPF_PROG_TYPE_KPROBE, which uprobes have too)
 */
record ProgramRuns(long atFunctions) {
    private static final String BPF_PROG_TYPE_KPROBE = "2";

    static ProgramRuns ofProcess(long pid) throws IOException {
        Map<String, Long> runsById = new HashMap<>();
        List<Path> descriptors;
        try (Stream<Path> listed = Files.list(Path.of("/proc", Long.toString(pid), "fdinfo"))) {
            descriptors = listed.toList();
        }
        for (Path descriptor : descriptors) {
            Map<String, String> fields = fields(descriptor);
            if (BPF_PROG_TYPE_KPROBE.equals(fields.get("prog_type"))) {
                runsById.put(fields.getOrDefault("prog_id", ""), Long.parseLong(fields.getOrDefault("run_cnt", "0")));
            }
        }
        return new ProgramRuns(
                runsById.values().stream().mapToLong(Long::longValue).sum());
    }

    private static Map<String, String> fields(Path descriptor) throws IOException {
        Map<String, String> fields = new HashMap<>();
        try {
            for (String line : Files.readAllLines(descriptor)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    fields.put(
                            line.substring(0, colon), line.substring(colon + 1).strip());
                }
            }
        } catch (NoSuchFileException e) {
            return Map.of(); // it was closed meanwhile
        }
        return fields;
    }
}
