package dev.probestream.convert;

import static dev.probestream.convert.TestRecording.START_NS;
import static dev.probestream.convert.TestRecording.argument;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chrome traces, read back by somebody else's JSON readers: Jackson, and Node itself. */
class ChromeTraceTest {
    private static final Set<String> PHASES = Set.of("X", "b", "e", "s", "t", "f", "C", "i", "M");

    @TempDir
    private Path folder;

    ChromeTraceTest() {
        folder = Path.of("");
    }

    @Test
    void textOfAnyKindArrivesAsItWas() throws IOException {
        String odd = "quote \" backslash \\ newline \n tab \t bell \u0007 \u2028 naïve 日本 😀 </script>";
        JsonNode event = onlySpan(argument("text", "str", ""), recording -> recording.withStrings(odd));
        assertThat(event.at("/args/text").asText()).isEqualTo(odd);
    }

    @Test
    void noSurrogateIsEscaped() throws IOException {
        onlySpan(argument("text", "str", ""), recording -> recording.withStrings("😀"));
        assertThat(Files.readString(folder.resolve("one.json"))).contains("😀").doesNotContain("\\ud83d");
    }

    @Test
    void integersThatADoubleCannotHoldAreText() throws IOException {
        long limit = 1L << 53;
        assertThat(onlyArgument("s64", limit - 1).isNumber()).isTrue();
        assertThat(onlyArgument("s64", limit).asText()).isEqualTo("9007199254740992");
        assertThat(onlyArgument("s64", limit).isTextual()).isTrue();
        assertThat(onlyArgument("s64", Long.MIN_VALUE).asText()).isEqualTo("-9223372036854775808");
        assertThat(onlyArgument("u64", -1).asText()).isEqualTo("18446744073709551615");
        assertThat(onlyArgument("s64", -5).asLong()).isEqualTo(-5);
    }

    @Test
    void pointersAreHexText() throws IOException {
        assertThat(onlyArgument("ptr", 0xffffffff81000000L).asText()).isEqualTo("0xffffffff81000000");
        assertThat(onlyArgument("ptr", 0).asText()).isEqualTo("0x0");
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void completeEventsOfAThreadNestAndAsynchronousOnesComeInPairs(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Path file = folder.resolve("random.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture().probe(1, "span", "test", EventKind.SPAN);
            for (int i = 0; i < 3_000; i++) {
                long startNs = START_NS + random.nextLong(300_000);
                recording.on(100, 100 + random.nextInt(3)).span(1, startNs, startNs + random.nextLong(300));
            }
            recording.end(START_NS + 400_000, 0);
        }
        JsonNode events = convert(file).get("traceEvents");
        assertThat(assertNested(events) + assertPaired(events)).isEqualTo(3_000);
    }

    private static int assertNested(JsonNode events) {
        Map<String, List<long[]>> byThread = new HashMap<>();
        for (JsonNode event : events) {
            assertThat(PHASES).contains(event.get("ph").asText());
            if (event.get("ph").asText().equals("X")) {
                byThread.computeIfAbsent(event.get("pid") + "/" + event.get("tid"), key -> new ArrayList<>())
                        .add(new long[] {ns(event.get("ts")), ns(event.get("ts")) + ns(event.get("dur"))});
            }
        }
        int count = 0;
        for (List<long[]> spans : byThread.values()) {
            spans.sort(Comparator.<long[]>comparingLong(span -> span[0]).thenComparing(span -> -span[1]));
            List<Long> ends = new ArrayList<>();
            for (long[] span : spans) {
                ends.removeIf(end -> end <= span[0]);
                ends.forEach(end -> assertThat(span[1]).isLessThanOrEqualTo(end));
                ends.add(span[1]);
                count++;
            }
        }
        return count;
    }

    private static int assertPaired(JsonNode events) {
        Set<String> open = new HashSet<>();
        int count = 0;
        for (JsonNode event : events) {
            String phase = event.get("ph").asText();
            if (phase.equals("b")) {
                assertThat(open.add(event.at("/id2/local").asText())).isTrue();
                count++;
            } else if (phase.equals("e")) {
                assertThat(open.remove(event.at("/id2/local").asText())).isTrue();
            }
        }
        assertThat(open).isEmpty();
        return count;
    }

    private static long ns(JsonNode microseconds) {
        return microseconds.decimalValue().movePointRight(3).longValueExact();
    }

    @Test
    void nodeParsesWhatWeWrite() throws IOException, InterruptedException {
        boolean hasNode = outputOf("node", "--version").isPresent();
        assumeTrue(hasNode || "true".equals(System.getenv("CI")), "there is no node to parse a trace with");
        assertThat(hasNode).as("node, without which this test proves nothing").isTrue();
        Path output = folder.resolve("sample.json");
        Conversion.run(List.of(SampleRecording.write(folder.resolve("sample.avro"))), output, RecordingRange.ALL);
        String program = "const trace = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));"
                + "console.log(trace.traceEvents.filter(e => e.cat === 'node-fs').map(e => e.ph + e.name).join())";
        assertThat(outputOf("node", "-e", program, output.toString()))
                .contains("Xuv_fs_open,Xuv__fs_work,Xuv__fs_done\n");
    }

    private static Optional<String> outputOf(String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            return Optional.empty(); // there is no such command
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return Optional.of(output);
    }

    private interface Content {
        TestRecording write(TestRecording recording) throws IOException;
    }

    private JsonNode onlyArgument(String type, long value) throws IOException {
        return onlySpan(argument("value", type, ""), recording -> recording.withNumbers(value))
                .at("/args/value");
    }

    private JsonNode onlySpan(Argument argument, Content content) throws IOException {
        Path file = folder.resolve("one.avro");
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture().probe(1, "span", "test", EventKind.SPAN, argument);
            content.write(recording).span(1, START_NS + 1, START_NS + 2).end(START_NS + 3, 0);
        }
        for (JsonNode event : convert(file).get("traceEvents")) {
            if (event.get("ph").asText().equals("X")) {
                return event;
            }
        }
        throw new AssertionError("no span in the trace");
    }

    private JsonNode convert(Path file) throws IOException {
        Path output = folder.resolve("one.json");
        Conversion.run(List.of(file), output, RecordingRange.ALL);
        return new ObjectMapper()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(Files.readAllBytes(output));
    }
}
