package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.schema.perfetto.Callstack;
import dev.probestream.schema.perfetto.InternedData;
import dev.probestream.schema.perfetto.InternedString;
import dev.probestream.schema.perfetto.PerfSample;
import dev.probestream.schema.perfetto.Profiling;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples of the cpu: a profile in Perfetto's traces, instants in Chrome's. */
class CpuSampleTest {
    @TempDir
    private Path folder;

    CpuSampleTest() {
        folder = Path.of("");
    }

    @Test
    void samplesBecomeAProfileOfTheirThread() throws IOException {
        Trace trace = Trace.parseFrom(Files.readAllBytes(convert("samples.pftrace")));
        List<TracePacket> samples = trace.getPacketList().stream()
                .filter(TracePacket::hasPerfSample)
                .toList();

        assertThat(samples)
                .extracting(TracePacket::getPerfSample)
                .extracting(PerfSample::getPid, PerfSample::getTid, PerfSample::getCpu, PerfSample::getCpuMode)
                .containsExactly(
                        tuple(100, 101, 0, Profiling.CpuMode.MODE_USER),
                        tuple(100, 101, 1, Profiling.CpuMode.MODE_KERNEL),
                        tuple(100, 101, 1, Profiling.CpuMode.MODE_USER));
        assertThat(samples)
                .map(sample -> stack(trace, sample))
                .containsExactly(
                        List.of("main", "burn"), List.of("main", "burn", "timer interrupt"), List.of("main", "burn"));
        assertThat(trace.getPacketList())
                .filteredOn(packet -> packet.getTrackEvent().hasNameIid())
                .as("the one sample whose stack could not be read")
                .hasSize(1);
    }

    /** Outermost first, as interned on the sample's sequence up to then or with it. */
    private static List<String> stack(Trace trace, TracePacket sample) {
        InternedData.Builder interned = InternedData.newBuilder();
        trace.getPacketList().stream()
                .filter(packet -> packet.getTrustedPacketSequenceId() == sample.getTrustedPacketSequenceId())
                .forEach(packet -> interned.mergeFrom(packet.getInternedData()));
        Map<Long, String> functions = interned.getFunctionNamesList().stream()
                .collect(Collectors.toMap(
                        InternedString::getIid,
                        text -> text.getStr().toString(StandardCharsets.UTF_8),
                        (first, second) -> first));
        Map<Long, Long> frames = interned.getFramesList().stream()
                .collect(Collectors.toMap(frame -> frame.getIid(), frame -> frame.getFunctionNameId()));
        Callstack callstack = interned.getCallstacksList().stream()
                .filter(stack -> stack.getIid() == sample.getPerfSample().getCallstackIid())
                .findFirst()
                .orElseThrow();
        List<String> names = new ArrayList<>();
        callstack.getFrameIdsList().forEach(id -> names.add(functions.get(frames.get(id))));
        return names;
    }

    @Test
    void inChromesFormatTheyAreInstantsWithAStack() throws IOException {
        assertThat(Files.readString(convert("samples.json")))
                .contains("\"name\":\"cpu sample\",\"cat\":\"profile\",\"ts\":1000000.010,\"pid\":100,\"tid\":101")
                .contains("\"stack\":[\"timer interrupt\",\"burn\",\"main\"]");
    }

    private Path convert(String name) throws IOException {
        Path file = folder.resolve("samples.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .capture()
                    .probe(3, "cpu sample", "profile", EventKind.INSTANT)
                    .process(100, "node", START_NS - 1_000_000_000, "node")
                    .thread(100, 101, "worker")
                    .stack(5, frame("burn", FrameKind.NATIVE, 1), frame("main", FrameKind.JS, 2))
                    .stack(
                            6,
                            frame("timer interrupt", FrameKind.KERNEL, 9),
                            frame("burn", FrameKind.NATIVE, 1),
                            frame("main", FrameKind.JS, 2))
                    .on(100, 101)
                    .withStack(5)
                    .instant(3, START_NS + 10)
                    .onCpu(1)
                    .withStack(6)
                    .instant(3, START_NS + 20)
                    .withStack(5)
                    .instant(3, START_NS + 30)
                    .withStack(0)
                    .instant(3, START_NS + 40)
                    .end(START_NS + 100, 0);
        }
        Path output = folder.resolve(name);
        assertThat(Conversion.run(List.of(file), output, RecordingRange.ALL)
                        .events()
                        .written())
                .isEqualTo(4);
        return output;
    }

    private static Frame frame(String symbol, FrameKind kind, long offset) {
        return Frame.newBuilder()
                .setSymbol(symbol)
                .setModule("/usr/bin/node")
                .setOffset(offset)
                .setKind(kind)
                .build();
    }
}
