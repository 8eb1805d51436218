package dev.probestream.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingReader;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTableTest {
    private static final long CAPTURE = 7;
    private static final int POLL = 1;
    private static final int OPEN = 2;
    private static final int DONE = 3;
    private static final int READ = 4;

    @TempDir
    private Path folder;

    private final EventEncoder encoder = new EventEncoder();
    private Path recording = Path.of("");
    private long sequence;

    @BeforeEach
    void nameTheRecording() {
        recording = folder.resolve("trace.avro");
    }

    @Test
    void loopPhasesHaveCountsAndPercentiles() throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            writer.append(probe(POLL, "uv__io_poll", RecordedDemo.LOOP, List.of()));
            for (int i = 1; i <= 100; i++) {
                span(writer, POLL, i * 10_000_000L, i * 1_000_000L);
            }
        }

        assertThat(table())
                .contains("event loop phase count p50 p99 max", "uv__io_poll 100 50.004 ms 99.025 ms 100.008 ms");
    }

    @Test
    void anAsynchronousOperationLastsUntilItsCallbackReturns() throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            describeFileProbes(writer);
            call(writer, OPEN, 1_000_000, 20_000, 0xF00, "/srv/a.txt");
            done(writer, 4_000_000, 500_000, 0xF00);
        }

        assertThat(table()).contains("3.500 ms uv_fs_open /srv/a.txt");
    }

    @Test
    void aSynchronousOperationLastsAsLongAsItsCall() throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            describeFileProbes(writer);
            call(writer, OPEN, 1_000_000, 700_000, 0xF00, "/srv/a.txt");
            call(writer, OPEN, 9_000_000, 300_000, 0xF00, "/srv/b.txt");
        }

        assertThat(table()).contains("0.700 ms uv_fs_open /srv/a.txt", "0.300 ms uv_fs_open /srv/b.txt");
    }

    @Test
    void bothCountsOfOpenedFilesAreShown() throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            describeFileProbes(writer);
            call(writer, OPEN, 1_000_000, 700_000, 0xF00, "/srv/a.txt");
        }

        assertThat(table()).contains("files opened: 12 counted by the server, 1 recorded");
    }

    @Test
    void whatTheLoadSawComesFirst() throws IOException {
        RecordingWriter.create(recording).close();

        assertThat(table().get(0))
                .isEqualTo("requests: 1 answered, 2 failed; latency p50 5.001 ms, p99 5.001 ms, max 5.001 ms");
    }

    @Test
    void lossesAreSaid() throws IOException {
        try (RecordingWriter writer = RecordingWriter.create(recording)) {
            describeFileProbes(writer);
            writer.append(new Loss(CAPTURE, OPEN, 0, 1L, 2L, 1_234L, LossReason.RING_FULL));
        }

        assertThat(table()).contains("0 events, 1,234 LOST");
    }

    /** The lines of the table, with runs of blanks as one. */
    private List<String> table() throws IOException {
        Histogram latencies = new Histogram(3);
        latencies.recordValue(5_000_000);
        StringWriter text = new StringWriter();
        RecordedDemo recorded = new RecordedDemo();
        RecordingReader.read(recording, recorded);
        new DemoTable(new SampleLoad.Outcome(1, 2, latencies), new SampleServer.Counts(40, 12, 3), recorded)
                .print(new PrintWriter(text));
        return text.toString()
                .lines()
                .map(line -> line.strip().replaceAll(" +", " "))
                .toList();
    }

    private void describeFileProbes(RecordingWriter writer) throws IOException {
        writer.append(probe(
                OPEN,
                "uv_fs_open",
                RecordedDemo.FILES,
                List.of(argument("request", "ptr", FlowStep.START), argument("path", "str", FlowStep.NONE))));
        writer.append(
                probe(DONE, "uv__fs_done", RecordedDemo.FILES, List.of(argument("request", "ptr", FlowStep.END))));
        writer.append(
                probe(READ, "uv_fs_read", RecordedDemo.FILES, List.of(argument("request", "ptr", FlowStep.START))));
    }

    private static Probe probe(int id, String name, String category, List<Argument> arguments) {
        return new Probe(
                CAPTURE,
                id,
                "span:" + name,
                name,
                category,
                EventKind.SPAN,
                "/usr/bin/node",
                arguments,
                "s32",
                "",
                "",
                false);
    }

    private static Argument argument(String name, String type, FlowStep flow) {
        return new Argument(name, type, "", flow, Map.of());
    }

    private void span(RecordingWriter writer, int probe, long startNs, long durationNs) throws IOException {
        begin(probe, startNs, durationNs);
        encoder.beginNumbers(0);
        encoder.beginStrings(0);
        encoder.end(0, 0, 0);
        writer.append(encoder);
    }

    private void call(RecordingWriter writer, int probe, long startNs, long durationNs, long request, String path)
            throws IOException {
        begin(probe, startNs, durationNs);
        encoder.beginNumbers(1);
        encoder.number(request);
        encoder.beginStrings(1);
        encoder.string(path);
        encoder.end(0, 0, 0);
        writer.append(encoder);
    }

    private void done(RecordingWriter writer, long startNs, long durationNs, long request) throws IOException {
        begin(DONE, startNs, durationNs);
        encoder.beginNumbers(1);
        encoder.number(request);
        encoder.beginStrings(0);
        encoder.end(0, 0, 0);
        writer.append(encoder);
    }

    private void begin(int probe, long startNs, long durationNs) {
        encoder.begin(CAPTURE, sequence++, startNs, durationNs, 42, 42, 0, probe, EventKind.SPAN);
    }
}
