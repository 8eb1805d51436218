package dev.probestream.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most memory this process had. */
public final class PeakMemory {
    private PeakMemory() {}

    /** VmHWM of proc(5). */
    public static long bytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow(() -> new IOException("no VmHWM in /proc/self/status"));
    }
}
