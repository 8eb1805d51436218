package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.ClockSnapshot;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.ThreadDescriptor;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in Perfetto's protobuf: our own trace of another recording, with all it has, and one made by hand. */
class MergePerfettoTest {
    private static final long START_NS = TestRecording.START_NS;

    @TempDir
    private Path folder;

    @Test
    void everySliceOfBothTracesIsInTheMergedOne() throws IOException {
        Path other = other();
        Path alone = folder.resolve("alone.pftrace");
        MergeRecording.merge(folder, alone, RecordingRange.ALL);
        Path output = folder.resolve("out.pftrace");
        MergeRecording.merge(folder, output, RecordingRange.ALL, other);

        List<String> expected = new ArrayList<>(slices(other));
        expected.addAll(slices(alone));
        assertThat(slices(output)).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void noThreadAndNoTrackIsDescribedTwice() throws IOException {
        Path output = folder.resolve("out.pftrace");
        MergeRecording.merge(folder, output, RecordingRange.ALL, other());

        Set<Long> uuids = new HashSet<>();
        Set<Integer> threads = new HashSet<>();
        for (TracePacket packet : Trace.parseFrom(Files.readAllBytes(output)).getPacketList()) {
            if (packet.hasTrackDescriptor()) {
                TrackDescriptor track = packet.getTrackDescriptor();
                assertThat(uuids.add(track.getUuid())).as("track %s", track).isTrue();
                assertThat(!track.hasThread() || threads.add(track.getThread().getTid()))
                        .as("thread %s", track)
                        .isTrue();
            }
            boolean isMerged = packet.getTrustedPacketSequenceId() >= 1 << 30;
            assertThat(isMerged && packet.hasClockSnapshot()).isFalse();
        }
    }

    @Test
    void timesOfOtherClocksBecomeMonotonic() throws IOException {
        Path output = folder.resolve("out.pftrace");
        ConversionOutcome outcome = MergeRecording.merge(folder, output, RecordingRange.ALL, handMade());

        assertThat(slices(output)).contains("request [" + (START_NS + 2_000_000) + ", " + (START_NS + 3_000_000) + "]");
        assertThat(outcome.warnings()).anyMatch(warning -> warning.contains("has 1 packets whose time is of a clock"));
    }

    @Test
    void chromeTraceHasSlicesInstantsCountersAndLegacyEvents() throws IOException {
        Path output = folder.resolve("out.json");
        MergeRecording.merge(folder, output, RecordingRange.ALL, handMade());

        assertThat(JsonEvents.of(output)).isNotEmpty();
        List<String> lines = Files.readAllLines(output).stream()
                .map(line -> line.endsWith(",") ? line.substring(0, line.length() - 1) : line)
                .filter(line -> line.contains("\"hand\"") || line.contains("\"C\""))
                .toList();
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "{\"ph\":\"B\",\"name\":\"request\",\"cat\":\"hand\",\"ts\":1002000.000,\"pid\":100,\"tid\":100,"
                                + "\"args\":{\"n\":7,\"list\":[true,\"x\"]}}",
                        "{\"ph\":\"b\",\"name\":\"old\",\"cat\":\"hand\",\"ts\":1002500.000,\"pid\":100,\"tid\":100,"
                                + "\"id2\":{\"local\":\"0x5\"}}",
                        "{\"ph\":\"C\",\"ts\":1002600.000,\"pid\":4195328,\"tid\":4195328,\"name\":\"heap\","
                                + "\"args\":{\"value\":42}}");
    }

    private Path other() throws IOException {
        Path other = folder.resolve("other.pftrace");
        Conversion.run(List.of(SampleRecording.write(folder.resolve("sample.avro"))), other, RecordingRange.ALL);
        return other;
    }

    private static List<String> slices(Path trace) throws IOException {
        return Slices.of(Files.readAllBytes(trace)).stream()
                .map(slice -> slice.name + " [" + slice.startNs + ", " + slice.endNs + "]")
                .toList();
    }

    /** Its clock is BOOTTIME, 600 s ahead; one packet is of an unknown clock; some are compressed. */
    private Path handMade() throws IOException {
        long aheadNs = 600_000_000_000L;
        Trace.Builder trace = Trace.newBuilder();
        trace.addPacketBuilder()
                .setTrustedPacketSequenceId(1)
                .setSequenceFlags(1)
                .setClockSnapshot(ClockSnapshot.newBuilder()
                        .addClocks(clock(BuiltinClock.BUILTIN_CLOCK_BOOTTIME_VALUE, START_NS + aheadNs))
                        .addClocks(clock(BuiltinClock.BUILTIN_CLOCK_MONOTONIC_VALUE, START_NS)));
        trace.addPacketBuilder()
                .setTrustedPacketSequenceId(1)
                .setTrackDescriptor(TrackDescriptor.newBuilder()
                        .setUuid(1)
                        .setThread(ThreadDescriptor.newBuilder().setPid(100).setTid(100)));
        trace.addPacketBuilder()
                .setTrustedPacketSequenceId(1)
                .setTrackDescriptor(TrackDescriptor.newBuilder().setUuid(2).setName("heap"));
        trace.addPacket(event(aheadNs + 2_000_000, 1, TrackEvent.Type.TYPE_SLICE_BEGIN)
                .setTrackEvent(TrackEvent.newBuilder()
                        .setType(TrackEvent.Type.TYPE_SLICE_BEGIN)
                        .setTrackUuid(1)
                        .setName("request")
                        .addCategories("hand")
                        .addDebugAnnotations(annotation("n").setIntValue(7))
                        .addDebugAnnotations(annotation("list")
                                .addArrayValues(DebugAnnotation.newBuilder().setBoolValue(true))
                                .addArrayValues(DebugAnnotation.newBuilder().setStringValue("x")))));
        trace.addPacket(event(aheadNs + 2_500_000, 1, TrackEvent.Type.TYPE_UNSPECIFIED)
                .setTrackEvent(TrackEvent.newBuilder()
                        .setTrackUuid(1)
                        .setName("old")
                        .addCategories("hand")
                        .setLegacyEvent(TrackEvent.LegacyEvent.newBuilder()
                                .setPhase('b')
                                .setLocalId(5))));
        trace.addPacket(event(1, 1, TrackEvent.Type.TYPE_INSTANT).setTimestampClockId(99));
        Trace.Builder bundle = Trace.newBuilder();
        bundle.addPacket(event(aheadNs + 2_600_000, 2, TrackEvent.Type.TYPE_COUNTER)
                .setTrackEvent(TrackEvent.newBuilder()
                        .setType(TrackEvent.Type.TYPE_COUNTER)
                        .setTrackUuid(2)
                        .setCounterValue(42)));
        bundle.addPacket(event(aheadNs + 3_000_000, 1, TrackEvent.Type.TYPE_SLICE_END));
        trace.addPacketBuilder().setCompressedPackets(deflated(bundle.build()));
        return Files.write(folder.resolve("hand.pftrace"), trace.build().toByteArray());
    }

    private static ByteString deflated(Trace bundle) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new DeflaterOutputStream(bytes)) {
            bundle.writeTo(out);
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }

    private static TracePacket.Builder event(long sinceStartNs, long track, TrackEvent.Type type) {
        return TracePacket.newBuilder()
                .setTrustedPacketSequenceId(1)
                .setTimestamp(START_NS + sinceStartNs)
                .setTrackEvent(TrackEvent.newBuilder().setType(type).setTrackUuid(track));
    }

    private static ClockSnapshot.Clock.Builder clock(int id, long timestamp) {
        return ClockSnapshot.Clock.newBuilder().setClockId(id).setTimestamp(timestamp);
    }

    private static DebugAnnotation.Builder annotation(String name) {
        return DebugAnnotation.newBuilder().setName(name);
    }
}
