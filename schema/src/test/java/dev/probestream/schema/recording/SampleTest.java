package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.Frames;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What earlier versions have written stays readable. */
class SampleTest {
    @ParameterizedTest
    @ValueSource(strings = {"v1.avro", "v2.avro", "v3.avro", "v4.avro"})
    void everyVersionIsRead(String name) throws IOException, URISyntaxException {
        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(sample(name), handler);
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.records()).isEqualTo(8 + 6);
        assertMetadata(handler.records().subList(0, 8));
        assertEvents(handler, 8);
    }

    @Test
    void format2HasSumsGapsAndCosts() throws IOException, URISyntaxException {
        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(sample("v5.avro"), handler);
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.records()).isEqualTo(11 + 6);
        assertThat(handler.records().subList(0, 11)).isEqualTo(TestRecords.metadata());
        assertEvents(handler, 11);
        assertThat(read("v4.avro", Probe.class).getIsEndDerived()).isFalse();
    }

    private static void assertEvents(CollectingHandler handler, int first) {
        for (int sequence = 0; sequence < 6; sequence++) {
            assertEvent((Event) handler.records().get(first + sequence), sequence);
        }
    }

    @Test
    void version2HasRolesAndPlacesInSources() throws IOException, URISyntaxException {
        assertThat(read("v1.avro", Probe.class).getRole()).isEmpty();
        assertThat(read("v2.avro", Probe.class).getRole()).isEqualTo("pool.submit");
        assertThat(read("v1.avro", Stack.class).getFrames()).singleElement().satisfies(frame -> {
            assertThat(frame.getFile()).isEmpty();
            assertThat(frame.getLine()).isZero();
        });
        Frame script = read("v2.avro", Stack.class).getFrames().get(1);
        assertThat(script).isEqualTo(Frames.of("load", "", 0x7f00_1234L, FrameKind.JS, "/srv/app.js", 12));
    }

    @Test
    void version3HasPlacesOfCalls() throws IOException, URISyntaxException {
        List<Frame> frames = read("v3.avro", Stack.class).getFrames();
        assertThat(frames).hasSize(3);
        assertThat(frames.get(1)).isEqualTo(TestRecords.inlinedFrame());
        assertThat(frames.get(2).getIsAsync()).isTrue();
    }

    @Test
    void version4HasHowProcessesEnded() throws IOException, URISyntaxException {
        assertThat(read("v3.avro", Process.class).getWaitStatus()).isEqualTo(-1);
        assertThat(read("v4.avro", Process.class).getWaitStatus()).isEqualTo(3 << 8);
    }

    private static <T> T read(String name, Class<T> kind) throws IOException, URISyntaxException {
        CollectingHandler handler = new CollectingHandler();
        RecordingReader.read(sample(name), handler);
        return handler.records().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow();
    }

    /**
     * CRC-64-AVRO of the parsing canonical form. A change here is a new version of the format: it needs a sample of its own,
     * and Avro must be able to resolve the samples of all versions before it.
     */
    @Test
    void theSchemasAreThoseOfFormat2() {
        assertThat(fingerprint(Event.SCHEMA$)).isEqualTo("6b1120b0210c94f1");
        assertThat(fingerprint(Recording.SCHEMA$)).isEqualTo("3423e45eece064c0");
        assertThat(FormatVersion.CURRENT).isEqualTo(new FormatVersion(2, 0));
    }

    private static void assertMetadata(List<SpecificRecord> metadata) {
        Capture capture = (Capture) metadata.get(0);
        assertThat(capture.getCaptureId()).isEqualTo(7);
        assertThat(capture.getKernelRelease()).isEqualTo("6.18.5");
        assertThat(capture.getCommand()).containsExactly("record", "-p", "42");
        assertThat(capture.getBoottimeNs()).isEqualTo(1_500);
        Probe probe = (Probe) metadata.get(1);
        assertThat(probe.getSpec()).isEqualTo("span:/usr/bin/node:uv_fs_open");
        assertThat(probe.getKind()).isEqualTo(EventKind.SPAN);
        assertThat(probe.getArguments().get(1).getFlow()).isEqualTo(FlowStep.START);
        assertThat(probe.getArguments().get(1).getLabels()).containsEntry("1", "scavenge");
        assertThat(((Process) metadata.get(2)).getCommandLine()).containsExactly("node", "server.js");
        assertThat(((Thread) metadata.get(3)).getName()).isEqualTo("libuv-worker");
        assertThat(((Stack) metadata.get(4)).getFrames().get(0).getKind()).isEqualTo(FrameKind.NATIVE);
        assertThat(((Clock) metadata.get(5)).getRealtimeNs()).isEqualTo(1_700_000_000_000_001_000L);
        Loss loss = (Loss) metadata.get(6);
        assertThat(loss.getCount()).isEqualTo(17);
        assertThat(loss.getReason()).isEqualTo(LossReason.RING_FULL);
        assertThat(((CaptureEnd) metadata.get(7)).getReason()).isEqualTo("the traced process has exited");
    }

    private static void assertEvent(Event event, int sequence) {
        List<EventKind> kinds = List.of(
                EventKind.INSTANT,
                EventKind.SPAN,
                EventKind.OPEN_SPAN,
                EventKind.COUNTER,
                EventKind.SWITCH,
                EventKind.WAKING);
        assertThat(event.getSequence()).isEqualTo(sequence);
        assertThat(event.getKind()).isEqualTo(kinds.get(sequence));
        assertThat(event.getTimestampNs()).isEqualTo(1_000 + sequence);
        assertThat(event.getDurationNs()).isEqualTo(sequence - 1);
        assertThat(event.getPid()).isEqualTo(42);
        assertThat(event.getTid()).isEqualTo(43);
        assertThat(event.getCpu()).isEqualTo(1);
        assertThat(event.getProbeId()).isEqualTo(1);
        assertThat(event.getNumbers()).containsExactly((long) sequence, Long.MIN_VALUE + sequence);
        assertThat(event.getStrings()).containsExactly("/srv/grüße/" + sequence);
        assertThat(event.getReturnValue()).isEqualTo(-2);
        assertThat(event.getStackId()).isEqualTo(99);
        assertThat(event.getUnavailable()).isEqualTo(Long.MIN_VALUE);
    }

    private static String fingerprint(Schema schema) {
        return Long.toHexString(SchemaNormalization.parsingFingerprint64(schema));
    }

    private static Path sample(String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(SampleTest.class.getResource("/samples/" + name))
                .toURI());
    }
}
