package dev.probestream.schema.recording;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.TestRecords;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A recording process for tests: writes random events to a file until the disk refuses them or it is killed. Prints on
 * standard output how many events are flushed, and at the end the messages of the writer.
 */
final class RecordingChild {
    private static final int EVENTS_PER_FLUSH = 1_000;

    private RecordingChild() {}

    /** Starts one whose files may not grow beyond {@code maxFileKib} KiB. */
    static Process start(Path file, String maxFileKib) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -f " + maxFileKib + " && exec \"$@\"",
                        "bash",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        RecordingChild.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static BufferedReader output(Process child) {
        return new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) throws RecordingException {
        SplittableRandom random = new SplittableRandom(14);
        EventEncoder encoder = new EventEncoder();
        long events = 0;
        try (RecordingWriter writer = RecordingWriter.create(Path.of(arguments[0]))) {
            try {
                while (true) {
                    encoder.encode(TestRecords.event(random));
                    writer.append(encoder);
                    if (++events % EVENTS_PER_FLUSH == 0) {
                        writer.flush();
                        System.out.println(events);
                    }
                }
            } catch (RecordingException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(writer.sizeBytes());
            try {
                writer.append(encoder);
            } catch (RecordingException e) {
                System.out.println(e.getMessage());
            }
        }
        System.out.println("closed");
    }
}
