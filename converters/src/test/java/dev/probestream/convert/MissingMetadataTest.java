package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records may be missing, or come in another order: their events still show, with stand-ins, and are counted. */
class MissingMetadataTest {
    @TempDir
    private Path folder;

    MissingMetadataTest() {
        folder = Path.of("");
    }

    @Test
    void eventsAloneStillMakeATrace() throws IOException {
        Path file = folder.resolve("alone.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording
                    .on(100, 100)
                    .withNumbers(5)
                    .withStrings("text")
                    .withStack(0xABC)
                    .span(3, START_NS, START_NS + 10)
                    .on(100, 105)
                    .instant(4, START_NS + 20);
        }
        Path output = folder.resolve("alone.json");
        ConversionOutcome outcome = Conversion.run(List.of(file), output, RecordingRange.ALL);
        assertThat(outcome.events().written()).isEqualTo(2);
        assertThat(outcome.events().ofUnknownProbe()).isEqualTo(2);
        assertThat(outcome.events().withUnknownStack()).isEqualTo(1);
        assertThat(Files.readString(output))
                .contains("{\"name\":\"pid 100\"}")
                .contains("{\"name\":\"tid 105\"}")
                .contains("\"name\":\"probe 3\"")
                .contains(
                        "\"args\":{\"number1\":5,\"text1\":\"text\",\"stack\":[\"stack is missing in the recording\"]}");
        assertThat(outcome.warnings())
                .contains("the record that describes capture 7 is missing: host and wall-clock time are unknown");
    }

    @Test
    void anyRecordsInAnyOrderGiveAWholeTraceThatAccountsForEveryEvent() throws IOException {
        Path sample = SampleRecording.write(folder.resolve("sample.avro"));
        List<SpecificRecord> records = recordsOf(sample);
        Random random = new Random(7);
        for (int round = 0; round < 100; round++) {
            List<SpecificRecord> some = new ArrayList<>(records);
            some.removeIf(content -> random.nextInt(3) == 0);
            if (round % 2 == 0) {
                Collections.shuffle(some, random);
            }
            Path file = folder.resolve("some.avro");
            try (RecordingWriter writer = RecordingWriter.create(file)) {
                for (SpecificRecord content : some) {
                    writer.append(content);
                }
            }
            long events = some.stream().filter(Event.class::isInstance).count();
            for (String name : List.of("some.pftrace", "some.json")) {
                Path output = folder.resolve(name);
                ConversionOutcome outcome = Conversion.run(List.of(file), output, RecordingRange.ALL);
                assertThat(outcome.events().read()).isEqualTo(events);
                assertThat(outcome.events().written() + outcome.events().notShown())
                        .isEqualTo(events);
                assertThat(outcome.events().notShown()).isZero();
            }
            new ObjectMapper().readTree(Files.readAllBytes(folder.resolve("some.json")));
            Slices.of(Files.readAllBytes(folder.resolve("some.pftrace")));
        }
    }

    @Test
    void anyValuesInEventsGiveAWholeTrace() throws IOException {
        Random random = new Random(8);
        List<EventKind> kinds = List.of(EventKind.values());
        for (int round = 0; round < 40; round++) {
            Path file = folder.resolve("odd.avro");
            try (TestRecording recording = TestRecording.at(file)) {
                recording.capture().probe(1, "odd", "test", EventKind.SPAN, argument("value", "u64", "errno"));
                for (int i = 0; i < 300; i++) {
                    recording
                            .on(oddInt(random), oddInt(random))
                            .onCpu(oddInt(random))
                            .withNumbers(LongStream.generate(() -> oddLong(random))
                                    .limit(random.nextInt(9))
                                    .toArray())
                            .withStrings(random.nextBoolean() ? new String[] {"a", "b"} : new String[0])
                            .withStack(random.nextInt(3))
                            .withUnavailable(random.nextInt(5) == 0 ? random.nextLong() : 0)
                            .event(
                                    kinds.get(random.nextInt(kinds.size())),
                                    random.nextInt(3),
                                    oddLong(random),
                                    oddLong(random));
                }
            }
            for (String name : List.of("odd.pftrace", "odd.json")) {
                ConversionOutcome outcome = Conversion.run(List.of(file), folder.resolve(name), RecordingRange.ALL);
                assertThat(outcome.events().written() + outcome.events().notShown())
                        .isEqualTo(300);
            }
            new ObjectMapper().readTree(Files.readAllBytes(folder.resolve("odd.json")));
            Slices.of(Files.readAllBytes(folder.resolve("odd.pftrace")));
        }
    }

    private static int oddInt(Random random) {
        return (int) oddLong(random);
    }

    private static long oddLong(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Long.MIN_VALUE >> random.nextInt(64);
            case 1 -> Long.MAX_VALUE >>> random.nextInt(64);
            case 2 -> random.nextLong();
            case 3 -> random.nextInt(5) - 2;
            default -> START_NS + random.nextInt(1_000);
        };
    }

    @Test
    void emptyRecordingGivesAnEmptyTrace() throws IOException {
        Path file = folder.resolve("empty.avro");
        RecordingWriter.create(file).close();
        for (String name : List.of("empty.pftrace", "empty.json")) {
            ConversionOutcome outcome = Conversion.run(List.of(file), folder.resolve(name), RecordingRange.ALL);
            assertThat(outcome.events().read()).isZero();
            assertThat(outcome.warnings()).containsExactly(file + " holds no records");
        }
        assertThat(new ObjectMapper()
                        .readTree(Files.readAllBytes(folder.resolve("empty.json")))
                        .get("traceEvents"))
                .isNotNull();
    }

    private static List<SpecificRecord> recordsOf(Path file) throws IOException {
        List<SpecificRecord> records = new ArrayList<>();
        RecordingReader.read(file, new RecordingHandler() {
            @Override
            public void event(EventView event) {
                records.add(copyOf(event));
            }

            @Override
            public void capture(Capture capture) {
                records.add(capture);
            }

            @Override
            public void probe(Probe probe) {
                records.add(probe);
            }

            @Override
            public void process(Process process) {
                records.add(process);
            }

            @Override
            public void thread(Thread thread) {
                records.add(thread);
            }

            @Override
            public void stack(Stack stack) {
                records.add(stack);
            }

            @Override
            public void clock(Clock clock) {
                records.add(clock);
            }

            @Override
            public void loss(Loss loss) {
                records.add(loss);
            }

            @Override
            public void captureEnd(CaptureEnd captureEnd) {
                records.add(captureEnd);
            }
        });
        return records;
    }

    private static Event copyOf(EventView event) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < event.numberCount(); i++) {
            numbers.add(event.number(i));
        }
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < event.stringCount(); i++) {
            strings.add(event.string(i));
        }
        return Event.newBuilder()
                .setCaptureId(event.captureId())
                .setSequence(event.sequence())
                .setTimestampNs(event.timestampNs())
                .setDurationNs(event.durationNs())
                .setPid(event.pid())
                .setTid(event.tid())
                .setCpu(event.cpu())
                .setProbeId(event.probeId())
                .setKind(event.kind())
                .setNumbers(numbers)
                .setStrings(strings)
                .setReturnValue(event.returnValue())
                .setStackId(event.stackId())
                .setUnavailable(event.unavailable())
                .build();
    }
}
