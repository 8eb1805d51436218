package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreparationTest {
    private static final String WRITER = "dev.probestream.schema.recording.RecordingWriter ";

    @TempDir
    private Path folder;

    @Test
    void awaitReturnsWhenTheWorkIsDone() {
        AtomicBoolean isDone = new AtomicBoolean();

        Preparation.of(() -> isDone.set(true)).await();

        assertThat(isDone).isTrue();
    }

    @Test
    void aClassThatCannotBeInitializedIsReportedWithItsReason() {
        Preparation preparation = Preparation.of(() -> {
            throw new UnsatisfiedLinkError("/tmp is mounted noexec");
        });

        assertThatThrownBy(preparation::await)
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessage("/tmp is mounted noexec");
    }

    @Test
    void otherFailuresAreLeftToTheCommand() {
        Preparation.of(() -> {
                    throw new IllegalStateException("no permission to read the clock");
                })
                .await();
    }

    @Test
    void onlyACaptureIsPrepared() throws IOException, InterruptedException {
        assertThat(loaded(2, "record")).anyMatch(line -> line.startsWith(WRITER)); // no process is selected
        assertThat(loaded(0, "record", "--help")).noneMatch(line -> line.startsWith(WRITER));
        assertThat(loaded(2, "list")).noneMatch(line -> line.startsWith(WRITER));
    }

    private List<String> loaded(int exitCode, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve("classes.txt");
        assertThat(CommandRun.loggingClasses(log, arguments).end()).isEqualTo(exitCode);
        return Files.readAllLines(log);
    }
}
