package dev.probestream.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What JVMs like {@code ConvertChild} measured: the first time in each, later times, and the peak memory.
 *
 * @param first CPU nanoseconds per event
 * @param later CPU nanoseconds per event
 */
public record ChildRuns(Samples first, Samples later, Samples peakMegabytes) {
    public ChildRuns() {
        this(new Samples(), new Samples(), new Samples());
    }

    /** Starts another child and adds its measurements. */
    public void measure(Class<?> main, String heap, Path recording, String output, int times)
            throws IOException, InterruptedException {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        heap,
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        recording.toString(),
                        output,
                        Integer.toString(times))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String text = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (child.waitFor() != 0) {
            throw new IOException(main.getSimpleName() + " of " + recording + " to " + output
                    + " in a JVM of its own: exit code " + child.exitValue());
        }
        List<String> lines = text.lines().toList();
        for (int i = 0; i < times; i++) {
            String[] numbers = lines.get(i).split(" ");
            (i == 0 ? first : later).add(Double.parseDouble(numbers[1]) / Long.parseLong(numbers[0]));
        }
        peakMegabytes.add(Long.parseLong(lines.get(times)) / 1e6);
    }

    /** The peak resident memory of this JVM (VmHWM of proc(5)), which a child prints for {@link #peakMegabytes}. */
    public static long peakMemoryBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow(() -> new IOException("no VmHWM in /proc/self/status"));
    }
}
