package dev.probestream.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How busy the machine is, as proc(5) says in loadavg.
 *
 * @param oneMinute runnable threads, averaged over the last minute
 */
public record SystemLoad(double oneMinute) {
    public static SystemLoad read() throws IOException {
        String text = Files.readString(Path.of("/proc/loadavg"));
        return new SystemLoad(Double.parseDouble(text.substring(0, text.indexOf(' '))));
    }
}
