package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class FailuresTest {
    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    @Test
    void aRefusalIsItsMessageAndItsExitCode() {
        int exitCode = handle(new CommandException(ExitCode.NOT_PERMITTED, "no rights: use sudo"));

        assertThat(exitCode).isEqualTo(77);
        assertThat(err).hasToString("sample: no rights: use sudo\n");
    }

    @Test
    void aBugIsOneLineAndTheTraceIsInAReport() throws IOException {
        int exitCode = handle(new IllegalStateException("two owners\nsecond line"));

        assertThat(exitCode).isEqualTo(1);
        Path report = reports().get(0);
        assertThat(err)
                .hasToString("sample: this is a bug in Probestream: IllegalStateException: two owners;"
                        + " please report it with " + report + "\n");
        assertThat(report)
                .content()
                .contains("java.lang.IllegalStateException: two owners", "\tat dev.probestream.cli.FailuresTest");
    }

    @ParameterizedTest
    @CsvSource({
        "org/duckdb/DuckDBDriver, DuckDB, lib-query",
        "kafka/server/KafkaConfig, Kafka's server, lib-broker",
        "org/apache/kafka/raft/RaftConfig, Kafka's server, lib-broker",
        "scala/Function0, Kafka's server, lib-broker"
    })
    void aMissingLibraryIsNamedWithTheFolderItIsIn(String missingClass, String library, String libraryFolder) {
        int exitCode = new Failures(folder)
                .report(new NoClassDefFoundError(missingClass), "sample", new PrintWriter(err, true));

        assertThat(exitCode).isEqualTo(1);
        assertThat(err)
                .hasToString("sample: " + library + " is not on the class path: run this command with ./probestream, or"
                        + " with java -cp 'probestream.jar:" + libraryFolder + "/*' dev.probestream.cli.Main\n");
    }

    private int handle(Exception exception) {
        CommandLine commandLine = new CommandLine(new Sample()).setErr(new PrintWriter(err, true));
        return new Failures(folder).handleExecutionException(exception, commandLine, commandLine.parseArgs());
    }

    private List<Path> reports() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Command(name = "sample")
    private static final class Sample {}
}
