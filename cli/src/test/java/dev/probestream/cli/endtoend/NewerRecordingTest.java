package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording of a version to come. Needs no kernel. */
class NewerRecordingTest {
    @TempDir
    private Path folder;

    @Test
    void everyCommandThatReadsRecordingsRefusesItInOneSentence() throws Exception {
        String newer = newer().toString();
        String own = folder.resolve("own.avro").toString();
        RecordingWriter.create(Path.of(own)).close();
        List<CommandRun> runs = new ArrayList<>();
        for (List<String> arguments : List.of(
                List.of("convert", newer, "-o", folder + "/a.pftrace"),
                List.of("convert", own, newer, "-o", folder + "/tables/"),
                List.of("open", newer),
                List.of("query", newer, "SELECT 1"),
                List.of("report", newer, "-o", folder + "/report.html"))) {
            runs.add(CommandRun.start(arguments.toArray(String[]::new)));
        }
        for (CommandRun run : runs) {
            assertThat(run.end()).isEqualTo(1);
            assertThat(run.said())
                    .singleElement()
                    .asString()
                    .contains("cannot read " + newer + " (byte 4): it has format 4.0, written by Probestream 3.1.0, and"
                            + " this is Probestream ")
                    .endsWith(", which reads format 3.x; update Probestream to 3.1.0 or newer");
        }
        assertThat(folder.resolve("a.pftrace")).doesNotExist();
        assertThat(folder.resolve("report.html")).doesNotExist();
    }

    private Path newer() throws IOException {
        Path file = folder.resolve("newer.avro");
        try (DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>())) {
            writer.setMeta("probestream.format", "4.0").setMeta("probestream.program", "3.1.0");
            writer.create(Recording.SCHEMA$, file.toFile());
        }
        return file;
    }
}
