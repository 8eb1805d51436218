package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings, whole and broken, into traces. Needs no kernel. */
class ConvertTest {
    private static final long CAPTURE = 7;
    private static final int EVENTS = 20_000;

    @TempDir
    private Path folder;

    private Path recording = Path.of("");
    private Path json = Path.of("");

    @BeforeEach
    void record() throws IOException {
        recording = folder.resolve("a.avro");
        json = folder.resolve("a.json");
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            writer.append(new Capture(
                    CAPTURE,
                    "host",
                    "boot",
                    "Linux",
                    "6.1",
                    "#1",
                    "x86_64",
                    2,
                    "0.1",
                    List.of("probestream"),
                    0L,
                    0L,
                    0L));
            writer.append(new Probe(
                    CAPTURE, 1, "span:work", "work", "user", EventKind.SPAN, "/bin/app", List.of(), "", "", "", false));
            for (int i = 0; i < EVENTS; i++) {
                // One per millisecond, in two processes.
                encoder.begin(CAPTURE, i, i * 1_000_000L, 500_000, 42 + i % 2, 42 + i % 2, 0, 1, EventKind.SPAN);
                encoder.beginNumbers(0);
                encoder.beginStrings(0);
                encoder.end(0, 0, 0);
                writer.append(encoder);
                if (i % 1_000 == 0) {
                    writer.flush();
                }
            }
            writer.append(new CaptureEnd(CAPTURE, EVENTS * 1_000_000L, "the time was up", (long) EVENTS, 0L));
        }
    }

    @Test
    void everyEventIsInTheTrace() throws Exception {
        CommandRun run = convert("-o", json.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.said())
                .last()
                .asString()
                .startsWith("wrote " + json + " (")
                .endsWith("): 20,000 events");
        assertThat(slices(json)).isEqualTo(EVENTS);
    }

    @Test
    void perfettoGetsThemToo() throws Exception {
        Path trace = folder.resolve("a.pftrace");
        CommandRun run = convert("-o", trace.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(Trace.parseFrom(Files.readAllBytes(trace)).getPacketCount()).isGreaterThan(2 * EVENTS);
    }

    @Test
    void aSliceOfTimeAndProcessIsCutOut() throws Exception {
        CommandRun run = convert("-o", json.toString(), "--from", "1s", "--to", "2s", "--pid", "42");

        assertThat(run.exitCode()).isZero();
        assertThat(slices(json)).isEqualTo(500);
        assertThat(run.said()).last().asString().endsWith("): 500 events, 19,500 outside the time range");
    }

    @Test
    void aRangeThatBeginsAfterTheEndIsReported() throws Exception {
        for (String output : List.of(json.toString(), folder.resolve("tables") + "/")) {
            CommandRun run = convert("-o", output, "--from", "1h");

            assertThat(run.exitCode()).isZero();
            assertThat(run.said())
                    .first()
                    .asString()
                    .isEqualTo("the time range begins 3580.0 s after the end of the recording");
        }
        assertThat(convert("-o", json.toString(), "--from", "1s").said())
                .noneMatch(line -> line.contains("after the end"));
    }

    @Test
    void aFolderGetsTables() throws Exception {
        Path tables = folder.resolve("tables");
        CommandRun run = convert("-o", tables + "/", "--from", "1s", "--to", "2s", "--pid", "42");

        assertThat(run.exitCode()).isZero();
        assertThat(run.said()).last().asString().startsWith("wrote " + tables + " (");
        assertThat(run.said()).last().asString().endsWith("): 500 events, 19,500 outside the time range");
        assertThat(DuckDb.number("SELECT count(*) FROM '" + tables + "/spans/*.parquet'"))
                .isEqualTo(500);
    }

    @Test
    void aFolderInAMissingOneIsRefused() throws Exception {
        CommandRun run = convert("-o", folder.resolve("missing/tables") + "/");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said()).singleElement().asString().endsWith("missing does not exist; create it first");
    }

    @Test
    void whatCanBeReadOfATornRecordingIsConverted() throws Exception {
        byte[] whole = Files.readAllBytes(recording);
        Files.write(recording, Arrays.copyOf(whole, whole.length * 2 / 3));

        CommandRun run = convert("-o", json.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(slices(json)).isBetween(EVENTS / 3, EVENTS - 1);
        assertThat(run.said()).anyMatch(line -> line.contains("bytes skipped"));
    }

    @Test
    void aBrokenBlockCostsItselfOnly() throws Exception {
        byte[] bytes = Files.readAllBytes(recording);
        Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 40, (byte) 0x5A);
        Files.write(recording, bytes);

        CommandRun run = convert("-o", json.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(slices(json)).isBetween(EVENTS * 3 / 4, EVENTS - 1);
        assertThat(run.said()).anyMatch(line -> line.contains("bytes skipped"));
    }

    @Test
    void aFileThatIsNoRecordingIsRefusedAndNothingIsWritten() throws Exception {
        Files.writeString(recording, "this is no recording, but long enough to be one if it were one");

        CommandRun run = convert("-o", json.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said()).singleElement().asString().startsWith("probestream convert: ");
        assertThat(run.said().get(0)).contains(recording.toString());
        assertThat(json).doesNotExist();
    }

    @Test
    void anUnknownEndingIsRefused() throws Exception {
        CommandRun run = convert("-o", folder.resolve("a.txt").toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said()).singleElement().asString().contains(".pftrace (Perfetto), .json or .json.gz (Chrome)");
    }

    private CommandRun convert(String... more) throws IOException, InterruptedException {
        String[] arguments = new String[2 + more.length];
        arguments[0] = "convert";
        arguments[1] = recording.toString();
        System.arraycopy(more, 0, arguments, 2, more.length);
        return CommandRun.run(arguments);
    }

    private static int slices(Path json) throws IOException {
        int slices = 0;
        for (var event : new ObjectMapper().readTree(json.toFile()).get("traceEvents")) {
            if (event.get("ph").asText().equals("X")
                    && event.get("name").asText().equals("work")) {
                slices++;
            }
        }
        return slices;
    }
}
