package dev.probestream.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How often BPF programs ran, by /proc/PID/fdinfo of the process that loaded them, while
 * {@link dev.probestream.bpf.watch.RunStatistics} is open.
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

    /**
     * The fields of a descriptor, none if it cannot be read: it was closed since it was listed. Opening the file then
     * fails, or the first read, which is an ordinary IOException (ENOENT of seq_show() in fs/proc/fd.c). A process that
     * may not be read is not listed either.
     */
    private static Map<String, String> fields(Path descriptor) {
        Map<String, String> fields = new HashMap<>();
        try {
            for (String line : Files.readAllLines(descriptor)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    fields.put(
                            line.substring(0, colon), line.substring(colon + 1).strip());
                }
            }
        } catch (IOException e) {
            return Map.of();
        }
        return fields;
    }
}
