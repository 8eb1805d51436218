package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.DuckDb;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.schema.perfetto.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class RecordTest {
    private static final String OPENS = "span:uv_fs_open(path=arg3:str, result=ret:s32)";

    @TempDir
    private Path folder;

    private Path recording = Path.of("");
    private Path opened = Path.of("");

    @BeforeEach
    void prepareFiles() throws IOException {
        recording = folder.resolve("trace.avro");
        opened = Files.writeString(folder.resolve("opened.txt"), "content");
    }

    @Test
    void everyCallIsOneEventWithItsPath() throws Exception {
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = record(node, "--probes", OPENS)) {
            record.awaitRecording();
            node.ask("open 250 " + opened);
            node.ask("sync 50 " + opened);

            assertThat(record.interrupt().end()).isZero();
        }

        List<RecordedFile.RecordedEvent> opens = RecordedFile.read(recording).events("uv_fs_open");
        assertThat(opens)
                .hasSize(300)
                .allMatch(open -> open.texts().equals(List.of(opened.toString())))
                .allMatch(open -> open.durationNs() > 0);
    }

    @Test
    void terminatingLeavesAWholeFile() throws Exception {
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = record(node, "--probes", OPENS)) {
            record.awaitRecording();
            node.ask("sync 10 " + opened);

            assertThat(record.terminate().end()).isZero();
            assertThat(record.said()).contains("ended: stopped by the user");
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.end().getReason()).isEqualTo("stopped by the user");
        assertThat(recorded.end().getDelivered()).isEqualTo(recorded.events().size());
        assertThat(recorded.lost()).isZero();
    }

    @Test
    void theEndOfTheProcessEndsTheRecording() throws Exception {
        String pid;
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = record(node, "--probes", OPENS)) {
            pid = node.pid();
            record.awaitRecording();
            node.ask("sync 10 " + opened);
            node.send("exit 0");

            assertThat(record.end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.end().getReason()).contains(pid).contains("exited");
        assertThat(recorded.events("uv_fs_open")).hasSize(10);
    }

    @Test
    void theTimeLimitEndsTheRecording() throws Exception {
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = record(node, "--probes", OPENS, "--for", "300ms")) {
            assertThat(record.end()).isZero();
            assertThat(record.said()).contains("ended: the time was up");
        }

        assertThat(RecordedFile.read(recording).capture().getCommand())
                .startsWith("probestream", "record", "-p")
                .endsWith("--for", "300ms");
    }

    @Test
    void aCommandIsRecordedFromItsFirstInstruction() throws Exception {
        String script = "require('fs').readFileSync('" + opened + "'); process.exit(3)";
        CommandRun record =
                CommandRun.run("record", "-o", recording.toString(), "--probes", OPENS, "--", "node", "-e", script);

        assertThat(record.exitCode()).isZero();
        assertThat(record.said()).anyMatch(line -> line.startsWith("ended: ") && line.contains("3"));
        assertThat(RecordedFile.read(recording).events("uv_fs_open"))
                .anyMatch(open -> open.texts().contains(opened.toString()));
    }

    @Test
    void theOutputOfTheCommandStaysItsOwn() throws Exception {
        CommandRun record = CommandRun.run(
                "record", "-o", recording.toString(), "--probes", "syscalls", "--", "node", "-p", "6 * 7");

        assertThat(record.out()).isEqualTo("42\n");
    }

    @Test
    void aTraceIsMadeAtTheEndAndTheRecordingRemoved() throws Exception {
        Path trace = folder.resolve("trace.pftrace");
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = CommandRun.start(
                        "record", "-p", node.pid(), "-o", trace.toString(), "--probes", OPENS, "--probes", "sched")) {
            record.awaitRecording();
            node.ask("open 10 " + opened);

            assertThat(record.interrupt().end()).isZero();
        }

        assertThat(Trace.parseFrom(Files.readAllBytes(trace)).getPacketCount()).isGreaterThan(20);
        assertThat(folder.resolve("trace.pftrace.avro")).doesNotExist();
    }

    @Test
    void chromeGetsTheSameEvents() throws Exception {
        Path trace = folder.resolve("trace.json");
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record =
                        CommandRun.start("record", "-p", node.pid(), "-o", trace.toString(), "--probes", OPENS)) {
            record.awaitRecording();
            node.ask("sync 25 " + opened);

            assertThat(record.interrupt().end()).isZero();
        }

        JsonNode events = new ObjectMapper().readTree(trace.toFile()).get("traceEvents");
        assertThat(StreamSupport.stream(events.spliterator(), false)
                        .filter(event -> event.get("name").asText().equals("uv_fs_open"))
                        .filter(event -> event.get("ph").asText().equals("X"))
                        .filter(event -> event.get("args").get("path").asText().equals(opened.toString())))
                .hasSize(25);
    }

    @Test
    void tablesHoldWhatWasRecorded() throws Exception {
        Path tables = folder.resolve("tables");
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = CommandRun.start(
                        "record", "-p", node.pid(), "-o", tables + "/", "--probes", OPENS, "--probes", "sched")) {
            record.awaitRecording();
            node.ask("open 250 " + opened);
            node.ask("sync 50 " + opened);

            assertThat(record.interrupt().end()).isZero();
            assertThat(record.said()).last().asString().startsWith("wrote " + tables + " (");
        }

        assertThat(DuckDb.number("SELECT count(*) FROM '" + tables + "/spans/*.parquet' WHERE probe = 'uv_fs_open'"
                        + " AND s0 = '" + opened + "' AND duration_ns > 0 AND return_value IS NOT NULL"))
                .isEqualTo(300);
        assertThat(DuckDb.number("SELECT delivered FROM '" + tables + "/captures/*.parquet' WHERE is_complete"))
                .isEqualTo(DuckDb.number("SELECT (SELECT count(*) FROM '" + tables + "/spans/*.parquet')"
                        + " + (SELECT count(*) FROM '" + tables + "/events/*.parquet')"));
        assertThat(DuckDb.number(
                        "SELECT abs(epoch_ms(min(ts)) - epoch_ms(now())) FROM '" + tables + "/events/*.parquet'"))
                .isLessThan(600_000);
        assertThat(tables.resolve("recording.avro")).doesNotExist();
    }

    @Test
    void anOlderRecordingIsKept() throws Exception {
        Files.writeString(recording, "an older one");
        try (NodeFixture node = NodeFixture.start(folder);
                CommandRun record = record(node, "--probes", OPENS, "--for", "100ms")) {
            assertThat(record.end()).isZero();
        }

        assertThat(folder.resolve("trace.avro.old")).hasContent("an older one");
        RecordedFile.read(recording);
    }

    private CommandRun record(NodeFixture node, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("record", "-p", node.pid(), "-o", recording.toString()));
        arguments.addAll(List.of(more));
        return CommandRun.start(List.of(), arguments);
    }
}
