package dev.probestream.sink.finish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingWriter;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment in which three requests begin, as a sink converts it. */
class RequestsOfSegmentsTest {
    private static final long CAPTURE_ID = 7;
    private static final long START_NS = 1_000_000_000L;
    private static final int REQUESTS = 3;

    @TempDir
    private Path folder;

    RequestsOfSegmentsTest() {
        folder = Path.of("");
    }

    @Test
    void requestsAndTheirEventsAreFilesOfTheSegment() throws Exception {
        FileMaker maker = new FileMaker(
                SinkFormat.PARQUET, "events", folder.resolve("out"), folder.resolve("stage"), FaultPoints.NONE);
        FileMaker.FinishedFiles finished = maker.finish(recordings(), ConversionProgress.NONE);
        String place = "day=2023-11-14/hour=22/c7-p000-000000000010-000000000012.parquet";
        Path requests = folder.resolve("out/requests").resolve(place);
        Path links = folder.resolve("out/request_events").resolve(place);
        assertThat(finished.files())
                .containsExactlyInAnyOrder(folder.resolve("out/events").resolve(place), requests, links);
        assertThat(ParquetTables.rowCount(requests)).isEqualTo(REQUESTS);
        assertThat(ParquetTables.rowCount(links)).isEqualTo(REQUESTS);
        assertThat(hosts(folder.resolve("out/events").resolve(place))).containsExactly("host-a");
    }

    /** Of the events of a segment, whose capture is described in another file. */
    private static List<String> hosts(Path events) throws SQLException {
        List<String> hosts = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT DISTINCT host FROM '" + events + "'")) {
            while (rows.next()) {
                hosts.add(rows.getString(1));
            }
        }
        return hosts;
    }

    private SegmentRecordings recordings() throws IOException {
        Path metadata = folder.resolve("metadata.avro");
        try (RecordingWriter writer = RecordingWriter.create(metadata)) {
            writer.append(capture());
            writer.append(beginOfRequests());
        }
        Path events = folder.resolve("events.avro");
        try (RecordingWriter writer = RecordingWriter.create(events)) {
            for (int i = 0; i < REQUESTS; i++) {
                writer.append(begin(i));
            }
        }
        Segment segment =
                new Segment(CAPTURE_ID, 0, 10, 12, 0, REQUESTS - 1, REQUESTS, 100, START_NS, START_NS + 2, 0, 0);
        MetadataRecording described = new MetadataRecording(metadata, 0, Long.MAX_VALUE, Long.MIN_VALUE);
        return new SegmentRecordings(segment, described, List.of(events), false, false);
    }

    private static EventEncoder begin(int request) {
        EventEncoder event = new EventEncoder();
        event.begin(CAPTURE_ID, request, START_NS + request, -1, 100, 100, 0, 1, EventKind.INSTANT);
        event.beginNumbers(2);
        event.number(0xb00 + request);
        event.number(1); // a request, not a response
        event.beginStrings(0);
        event.end(0, 0, 0);
        return event;
    }

    private static Probe beginOfRequests() {
        return Probe.newBuilder()
                .setCaptureId(CAPTURE_ID)
                .setProbeId(1)
                .setSpec("uprobe:/usr/bin/node:llhttp__on_message_begin")
                .setName("HTTP message begins")
                .setCategory("node-http")
                .setKind(EventKind.INSTANT)
                .setModule("/usr/bin/node")
                .setArguments(List.of(
                        new Argument("parser", "ptr", "", FlowStep.NONE, Map.of()),
                        new Argument("type", "u8", "", FlowStep.NONE, Map.of())))
                .setReturnType("")
                .setReturnUnit("")
                .setRole("http.begin")
                .build();
    }

    private static Capture capture() {
        return Capture.newBuilder()
                .setCaptureId(CAPTURE_ID)
                .setHost("host-a")
                .setBootId("boot-a")
                .setKernelName("Linux")
                .setKernelRelease("6.18.0")
                .setKernelVersion("#1 SMP")
                .setMachine("x86_64")
                .setCpuCount(2)
                .setToolVersion("0.1.0")
                .setCommand(List.of("probestream", "collect"))
                .setMonotonicNs(START_NS)
                .setRealtimeNs(1_700_000_000_000_000_000L)
                .setBoottimeNs(START_NS)
                .build();
    }
}
