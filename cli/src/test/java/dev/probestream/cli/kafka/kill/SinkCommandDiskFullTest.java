package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sink on a file system that is almost full, mounted for the test. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class SinkCommandDiskFullTest {
    /** With room for what a slow machine records until it says that it has enough. */
    private static final int DISK_MIB = 256;

    private static final int FREE_MIB = 1;
    private static final long EVENTS = 400_000;

    @TempDir
    private Path folder;

    private Path disk = Path.of("");

    @BeforeEach
    void mount() throws Exception {
        disk = Files.createDirectory(folder.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MIB + "m", "tmpfs", disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "perfetto", "chrome"})
    void aFullDiskIsSaidAndTheSinkGoesOnWhenThereIsSpaceAgain(String format) throws Exception {
        Path ballast = disk.resolve("ballast");
        run("fallocate", "-l", DISK_MIB - FREE_MIB + "MiB", ballast.toString());
        BrokerPlace place = BrokerPlace.in(folder);
        try (Beats beats = Beats.start(folder, 300);
                Service broker = place.start()) {
            broker.await(BrokerPlace.READY);
            try (Service collector = beats.collect(place.servers())) {
                collector.await(CollectorOutput.READY);
                beats.go(2, 50_000);
                CollectorOutput.awaitMore(collector, EVENTS);
                beats.stop();
                collector.terminate();
            }
            TopicContents topic = TopicContents.read(place.servers());
            SinkPlace onDisk = SinkPlace.in(folder, format, place.servers()).on(disk);
            try (Service sink = onDisk.start()) {
                sink.await("waiting: the disk of ");
                onDisk.openAll();
                Files.delete(ballast);
                sink.await("resumed: no longer waiting for the disk");
                SinkPlace.awaitCaughtUp(topic.partitions(), List.of(sink));
                sink.terminate();
            }
            onDisk.prove(topic);
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }
}
