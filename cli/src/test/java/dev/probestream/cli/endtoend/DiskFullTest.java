package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system of one megabyte, mounted for the test. */
@KernelTest(since = "5.8")
class DiskFullTest {
    @TempDir
    private Path folder;

    private Path disk = Path.of("");

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(folder.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    @Test
    void whatWasRecordedBeforeTheDiskWasFullStaysReadable() throws Exception {
        Path recording = disk.resolve("a.avro");
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = CommandRun.start(
                        "record", "-p", node.pid(), "-o", recording.toString(), "--probes", "syscalls:all")) {
            record.awaitRecording();
            // Far more than fits; random names, so that the file does not compress to nothing.
            node.send("sync 400000 " + Files.writeString(folder.resolve("opened.txt"), ""));

            assertThat(record.end()).isEqualTo(1);
            assertThat(record.said())
                    .last()
                    .asString()
                    .contains(recording.toString())
                    .contains("No space left on device");
        }

        assertThat(RecordedFile.read(recording).events()).hasSizeGreaterThan(1_000);
    }

    @Test
    void tablesThatDoNotFitLeaveNothingAndSayWhy() throws Exception {
        Path recording = randomRecording();
        Path tables = disk.resolve("tables");

        CommandRun convert = CommandRun.run("convert", recording.toString(), "-o", tables + "/");

        assertThat(convert.exitCode()).isEqualTo(1);
        assertThat(convert.said())
                .last()
                .asString()
                .startsWith("probestream convert: cannot write " + tables)
                .contains(": No space left on device; free some space");
        try (Stream<Path> left = Files.walk(disk)) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    /** Some megabytes of numbers that do not compress. */
    private Path randomRecording() throws IOException {
        Path recording = folder.resolve("random.avro");
        SplittableRandom random = new SplittableRandom(1);
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            for (int i = 0; i < 300_000; i++) {
                encoder.begin(7, i, i, -1, 1, 1, 0, 1, EventKind.INSTANT);
                encoder.beginNumbers(1);
                encoder.number(random.nextLong());
                encoder.beginStrings(0);
                encoder.end(0, 0, 0);
                writer.append(encoder);
            }
        }
        return recording;
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
    }
}
