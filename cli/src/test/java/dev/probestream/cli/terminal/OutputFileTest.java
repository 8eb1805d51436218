package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputFileTest {
    @TempDir
    private Path folder;

    @Test
    void aRecordingIsWrittenToItsOwnName() throws CommandException {
        OutputFile output = OutputFile.check(folder.resolve("a.avro").toString());

        assertThat(output.recording()).isEqualTo(folder.resolve("a.avro"));
        assertThat(output.isConverted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.pftrace", "a.json", "a.json.gz"})
    void aTraceIsMadeOfARecordingBesideIt(String name) throws CommandException {
        OutputFile output = OutputFile.check(folder.resolve(name).toString());

        assertThat(output.recording()).isEqualTo(folder.resolve(name + ".avro"));
        assertThat(output.isConverted()).isTrue();
    }

    @Test
    void anUnknownEndingIsWrongUsage() {
        Path file = folder.resolve("a.txt");

        assertThatThrownBy(() -> OutputFile.check(file.toString()))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
                .hasMessage("cannot record to " + file
                        + ": the extension selects the format: .avro (a recording), .pftrace (for ui.perfetto.dev),"
                        + " .json or .json.gz (for chrome://tracing), or / (a folder of Parquet tables)");
    }

    @Test
    void aMissingFolderIsSaid() {
        Path file = folder.resolve("missing/a.avro");

        assertThatThrownBy(() -> OutputFile.check(file.toString()))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.FAILED))
                .hasMessage("cannot record to " + file + ": the folder " + folder.resolve("missing")
                        + " does not exist; create it first");
    }

    @Test
    void aFolderIsNoFile() throws IOException {
        Path file = Files.createDirectory(folder.resolve("a.avro"));

        assertThatThrownBy(() -> OutputFile.check(file.toString()))
                .hasMessage("cannot record to " + file + ": it is a folder; specify a file in it");
    }

    @Test
    void aSlashAtTheEndMeansAFolderOfTables() throws CommandException {
        OutputFile output = OutputFile.check(folder.resolve("tables") + "/");

        assertThat(output.file()).isEqualTo(folder.resolve("tables"));
        assertThat(output.recording()).isEqualTo(folder.resolve("tables/recording.avro"));
        assertThat(output.isConverted()).isTrue();
        assertThat(output.file()).doesNotExist();

        output.createFolder();
        assertThat(output.file()).isDirectory();
    }

    @Test
    void soDoesAFolderThatIsThere() throws CommandException {
        assertThat(OutputFile.check(folder.toString()).recording()).isEqualTo(folder.resolve("recording.avro"));
    }

    @Test
    void aFolderIsNotMadeInAMissingOne() {
        String output = folder.resolve("missing/tables") + "/";

        assertThatThrownBy(() -> OutputFile.check(output))
                .hasMessage("cannot record to " + output + ": the folder " + folder.resolve("missing")
                        + " does not exist; create it first");
    }

    @Test
    void aFileIsNoFolder() throws IOException {
        Path file = Files.createFile(folder.resolve("tables"));

        assertThatThrownBy(() -> OutputFile.check(file + "/"))
                .hasMessage("cannot record to " + file
                        + "/: it is a file, not a folder; use another name, or remove the trailing /");
    }
}
