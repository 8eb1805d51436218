package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever was recorded is what DuckDB reads back, value for value. */
class RandomTablesTest {
    private static final int PROBES = 12;
    private static final int EVENTS = 3_000;
    private static final long WALL_NS = 1_700_000_000_000_000_000L;
    private static final List<EventKind> KINDS =
            List.of(EventKind.SPAN, EventKind.OPEN_SPAN, EventKind.INSTANT, EventKind.COUNTER);
    private static final List<String> TEXTS =
            List.of("", "a", "/srv/app.js", "naïve, \"quoted\"\n", "日本語", "\uD83D\uDE00", "x".repeat(5_000));

    /** What one argument of a probe is: text, or a number. */
    private record RandomProbe(int id, List<Boolean> isText, boolean hasResult) {
        long numbers() {
            return isText.stream().filter(text -> !text).count();
        }
    }

    @TempDir
    private Path folder;

    RandomTablesTest() {
        folder = Path.of("");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyValueComesBack(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Path recording = folder.resolve("random.avro");
        Path tables = Files.createDirectory(folder.resolve("tables"));
        List<String> expected = write(recording, random);

        Conversion.run(List.of(recording), tables, RecordingRange.ALL);

        List<String> found = new ArrayList<>(DuckDb.rows(query(tables, "spans", "duration_ns", "epoch_us(end_ts)")));
        found.addAll(DuckDb.rows(query(tables, "events", "NULL", "NULL")));
        Collections.sort(expected);
        Collections.sort(found);
        assertThat(found).isEqualTo(expected);
    }

    private static List<String> write(Path file, SplittableRandom random) throws IOException {
        List<String> expected = new ArrayList<>();
        try (TestRecording recording = TestRecording.at(file)) {
            recording.capture(7, "host", "boot", 1_000, WALL_NS);
            List<RandomProbe> probes = new ArrayList<>();
            for (int id = 1; id <= PROBES; id++) {
                RandomProbe probe = new RandomProbe(
                        id,
                        random.ints(random.nextInt(20), 0, 3)
                                .mapToObj(kind -> kind == 0)
                                .toList(),
                        random.nextBoolean());
                probes.add(probe);
                describe(recording, probe);
            }
            for (int i = 0; i < EVENTS; i++) {
                expected.add(event(recording, i, probes.get(random.nextInt(PROBES)), random));
            }
        }
        return expected;
    }

    private static void describe(TestRecording recording, RandomProbe probe) throws IOException {
        Argument[] arguments = probe.isText().stream()
                .map(isText -> TestRecording.argument("x", isText ? "char[16]" : "u64", ""))
                .toArray(Argument[]::new);
        String result = probe.hasResult() ? "s64" : "";
        recording.probe(probe.id(), "probe" + probe.id(), "test", EventKind.INSTANT, result, "", arguments);
    }

    /** Writes one event, and says what DuckDB should. */
    private static String event(TestRecording recording, int sequence, RandomProbe probe, SplittableRandom random)
            throws IOException {
        EventKind kind = KINDS.get(random.nextInt(KINDS.size()));
        long startNs = 1_000 + random.nextLong(1L << 40);
        long durationNs = kind == EventKind.SPAN ? random.nextLong(1L << 34) : -1;
        long unavailable = random.nextInt(3) == 0 ? random.nextLong() : 0;
        long returnValue = probe.hasResult() ? random.nextInt(5) - 3 : 0;
        long stackId = random.nextBoolean() ? 0 : random.nextLong();
        List<String> numbers = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        long[] numberValues = new long[(int) probe.numbers()];
        String[] textValues = new String[probe.isText().size() - numberValues.length];
        for (int i = 0; i < probe.isText().size(); i++) {
            boolean isThere = (unavailable >>> i & 1) == 0;
            if (probe.isText().get(i)) {
                String text = isThere ? TEXTS.get(random.nextInt(TEXTS.size())) : "";
                textValues[texts.size()] = text;
                texts.add(isThere ? hex(text) : "null");
            } else {
                long number = isThere ? number(random) : 0;
                numberValues[numbers.size()] = number;
                numbers.add(isThere ? Long.toString(number) : "null");
            }
        }
        recording
                .on(random.nextInt(100), sequence)
                .withNumbers(numberValues)
                .withStrings(textValues)
                .withReturn(returnValue)
                .withStack(stackId)
                .withUnavailable(unavailable)
                .event(kind, probe.id(), startNs, durationNs);
        boolean hasResult = probe.hasResult() && unavailable >= 0 && kind != EventKind.OPEN_SPAN;
        return String.join(
                ";",
                Integer.toString(sequence),
                Long.toString(startNs),
                Long.toString((WALL_NS + startNs - 1_000) / 1_000),
                durationNs < 0 ? "null" : Long.toString(durationNs),
                durationNs < 0 ? "null" : Long.toString((WALL_NS + startNs - 1_000 + durationNs) / 1_000),
                Integer.toString(sequence),
                "probe" + probe.id(),
                kind.name(),
                columns(numbers, 8),
                columns(texts, 3),
                hasResult ? Long.toString(returnValue) : "null",
                stackId == 0 ? "null" : Long.toString(stackId));
    }

    private static long number(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(4) - 2;
            case 1 -> random.nextLong();
            case 2 -> Long.MIN_VALUE;
            default -> 4_096;
        };
    }

    private static String hex(String text) {
        return "'" + HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** So many columns, and a list of what does not fit. */
    private static String columns(List<String> values, int count) {
        String fixed = IntStream.range(0, count)
                .mapToObj(i -> i < values.size() ? values.get(i) : "null")
                .collect(Collectors.joining(";"));
        return fixed + ";" + (values.size() <= count ? "null" : String.join(" ", values.subList(count, values.size())));
    }

    private static String query(Path tables, String table, String duration, String end) {
        List<String> columns =
                new ArrayList<>(List.of("sequence", "mono_ns", "epoch_us(ts)", duration, end, "tid", "probe", "kind"));
        IntStream.range(0, 8).forEach(i -> columns.add("a" + i));
        columns.add("array_to_string([coalesce(x::VARCHAR, 'null') for x in more_numbers], ' ')");
        IntStream.range(0, 3).forEach(i -> columns.add("'''' || hex(encode(s" + i + "))"));
        columns.add("array_to_string([coalesce('''' || hex(encode(x)), 'null') for x in more_strings], ' ')");
        columns.add("return_value");
        columns.add("stack_id");
        return columns.stream()
                .map(column -> "coalesce((" + column + ")::VARCHAR, 'null')")
                .collect(Collectors.joining(" || ';' || ", "SELECT ", " FROM " + DuckDb.table(tables, table)));
    }
}
