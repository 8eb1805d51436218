package dev.probestream.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How busy the machine is, as proc(5) says in loadavg.
 *
 * @param oneMinute runnable threads, averaged over the last minute
 */
record Load(double oneMinute) {
    static Load read() throws IOException {
        String text = Files.readString(Path.of("/proc/loadavg"));
        return new Load(Double.parseDouble(text.substring(0, text.indexOf(' '))));
    }
}
