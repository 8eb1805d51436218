package dev.probestream.bpf.map;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where this machine has its cgroup v2 tree. */
final class CgroupMount {
    private CgroupMount() {}

    static Optional<Path> find() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .findFirst();
    }
}
