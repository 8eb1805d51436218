package dev.probestream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bench.convert.CodecPair;
import dev.probestream.bench.convert.SyntheticRecording;
import dev.probestream.bench.kafka.TypicalEvents;
import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.bench.probe.Capture;
import dev.probestream.bench.probe.RingFill;
import dev.probestream.bench.probe.TargetProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.RecordingRange;
import dev.probestream.schema.EventView;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the benchmarks take for granted. {@code bench/run} measures how fast anything is. */
final class BenchmarksTest {
    @TempDir
    private Path folder;

    @Test
    void bothCodecsGiveTheSameBytesAndReadTheSameEvent() throws Exception {
        CodecPair pair = new CodecPair(); // compares the bytes

        assertThat(pair.ourDecodeWithString()).isEqualTo(pair.avroDecode());
    }

    @Test
    void syntheticRecordingIsReadAndConvertedWhole() throws Exception {
        Path recording = folder.resolve("synthetic.avro");
        long events = SyntheticRecording.write(recording, 50);

        assertThat(RecordingReader.read(recording, new RecordingHandler() {}).events())
                .isEqualTo(events);
        for (String name : List.of("trace.pftrace", "trace.json")) {
            ConversionOutcome outcome = Conversion.run(List.of(recording), folder.resolve(name), RecordingRange.ALL);
            assertThat(outcome.warnings()).as(name).isEmpty();
        }
    }

    @Test
    void typicalEventsFillMessagesOfTheSizeThatThePeerSends() throws Exception {
        EventView view = new EventView();
        for (byte[] value : TypicalEvents.values()) {
            assertThat(value).hasSize(TypicalEvents.VALUE_BYTES);
            assertThat(view.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length))
                    .isEqualTo(value.length);
            assertThat(view.captureId()).isEqualTo(TypicalEvents.CAPTURE_ID);
        }
    }

    @Test
    void childAnswersEachLineAndEndsWhenItIsClosed() throws Exception {
        try (ChildJvm child = ChildJvm.start(Echo.class, List.of("-Xmx32m"))) {
            assertThat(WorkTime.parse(child.ask("3"))).isEqualTo(new WorkTime(3, 30, 300));
            assertThat(WorkTime.parse(child.ask("4"))).isEqualTo(new WorkTime(4, 40, 400));
        }
    }

    @Test
    void childThatEndsDoesNotAnswer() throws Exception {
        try (ChildJvm child = ChildJvm.start(Echo.class, List.of("-Xmx32m"))) {
            assertThat(child.answers("")).isFalse();
        }
    }

    @KernelTest(since = "5.8")
    @Test
    void filledRingHoldsOneRecordOfEachCall() throws Exception {
        try (TargetProgram target = TargetProgram.start(folder);
                RingFill fill = RingFill.attach(target, 1 << 16)) {
            fill.fill();
            try (RingBuffer ring = RingBuffer.map(fill.map())) {
                assertThat(ring.poll((buffer, offset, lengthBytes) -> {}, Integer.MAX_VALUE))
                        .isEqualTo(fill.capacity());
            }
        }
    }

    @KernelTest(since = "5.8")
    @Test
    void captureTakesEveryCall() throws Exception {
        try (TargetProgram target = TargetProgram.start(folder);
                Capture capture = Capture.attach(target, "uprobe:" + TargetProgram.FUNCTION, 1 << 20)) {
            target.call(1000);

            assertThat(capture.drain()).isEqualTo(1000);
        }
    }

    /** Does nothing, and reports times that follow from the number of events. */
    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws Exception {
            ChildJvm.Work.serve(line -> {
                if (line.isEmpty()) {
                    System.exit(1);
                }
                long events = Long.parseLong(line);
                return new WorkTime(events, 10 * events, 100 * events);
            });
        }
    }
}
