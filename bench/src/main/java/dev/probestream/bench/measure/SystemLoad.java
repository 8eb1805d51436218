package dev.probestream.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The load of the machine, from /proc/loadavg (proc(5)).
 *
 * @param oneMinute runnable threads, averaged over the last minute
 */
public record SystemLoad(double oneMinute) {
    /** The load now. */
    public static SystemLoad read() throws IOException {
        String text = Files.readString(Path.of("/proc/loadavg"));
        return new SystemLoad(Double.parseDouble(text.substring(0, text.indexOf(' '))));
    }

    /** Whether a thread that was ready found a CPU at once, in general. */
    public boolean isLight() {
        return oneMinute < Runtime.getRuntime().availableProcessors();
    }
}
