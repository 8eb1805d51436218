package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        try (NodeProgram node = NodeProgram.start(folder);
                CommandRun record = CommandRun.start(
                        "record", "-p", node.pid(), "-o", recording.toString(), "--probes", "syscalls")) {
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

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
    }
}
