package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.TimeRange;
import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.session.QuerySession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No share is over 100 %, and every sentence begins with a capital, whatever was recorded: random hits of several threads,
 * whose spans nest, overlap and reach over the edges of each other.
 */
@Tag("deep")
class SharesTest {
    private static final Pattern SHARE = Pattern.compile("(\\d[\\d,.]*) %");
    private static final int[] TIDS = {100, 101, 102, 103};
    private static final double LENGTH_MS = 4000;

    @TempDir
    private Path folder;

    static IntStream seeds() {
        return IntStream.range(0, 12);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void areAtMostHundredPerCent(int seed) throws Exception {
        try (Planted planted = random(seed)) {
            ReportContents report = planted.report(folder);

            for (Finding finding : report.findings()) {
                assertShares(finding.title());
                assertShares(finding.text());
                assertSentences(finding.title());
                assertSentences(finding.text());
            }
            report.sections().forEach(section -> {
                assertSentences(section.explanation());
                section.parts().forEach(SharesTest::assertTable);
            });
        }
        try (QuerySession session = QuerySession.open(
                List.of(folder.resolve("tables")), TimeRange.ALL, Limits.standard(), ConversionProgress.NONE)) {
            for (BuiltInQuery view : BuiltInQueries.load().all()) {
                session.prepare(view, Map.of());
                session.execute(view.sql(), new ShareChecker(view.name()));
            }
        }
    }

    private static void assertTable(ReportPart part) {
        if (part instanceof ReportPart.Table table) {
            for (int i = 0; i < table.columns().size(); i++) {
                int column = i;
                if (table.columns().get(i).unit().equals("%")) {
                    table.rows()
                            .forEach(row -> assertThat(((Number) row.get(column)).doubleValue())
                                    .as(table.title())
                                    .isBetween(0.0, 100.0));
                }
            }
        }
    }

    private static void assertShares(String text) {
        Matcher share = SHARE.matcher(text);
        while (share.find()) {
            assertThat(Double.parseDouble(share.group(1).replace(",", "")))
                    .as(text)
                    .isLessThanOrEqualTo(100);
        }
    }

    private static void assertSentences(String text) {
        assertThat(text).matches("(?s)[A-Z0-9].*");
        assertThat(text).doesNotContainPattern("[.] [a-z<]");
    }

    private static Planted random(int seed) throws Exception {
        Random random = new Random(seed);
        Planted planted = new Planted();
        for (int tid : TIDS) {
            planted.thread(tid, "node");
        }
        List<Long> stacks = List.of(
                planted.stack(
                        "std::__1::basic_string<char>::append(char const*)", "one /app/a.js:1", "both /app/a.js:9"),
                planted.stack("uv_fs_read", "two /app/a.js:2", "both /app/a.js:9"),
                planted.stack("futex_wait", "pthread_cond_wait", "both /app/a.js:9"),
                planted.stack("v8::internal::Heap::CollectGarbage", "two /app/a.js:2"));
        polls(planted, random);
        for (int i = 0; i < 60; i++) {
            span(planted, random, "node-gc", "GC", Map.of("reason", 1), 0, 300);
            span(
                    planted,
                    random,
                    "node-fs",
                    "uv_fs_read",
                    Map.of("path", "/data/" + random.nextInt(3), "request", random.nextInt(9), "callback", 0),
                    random.nextInt(3) == 0 ? -13 : 10,
                    250);
            span(planted, random, "syscalls", "openat", Map.of("fd", 3), -17, 50);
            switches(planted, random);
            int tid = TIDS[random.nextInt(TIDS.length)];
            double atMs = at(random);
            planted.samples(tid, atMs, atMs + random.nextInt(200), stacks.get(random.nextInt(stacks.size())));
            planted.request(
                    random.nextBoolean() ? "SERVER" : "CLIENT",
                    "/r" + random.nextInt(4),
                    atMs,
                    atMs + random.nextInt(900),
                    random.nextInt(2) == 0 ? "503 AS status" : "200 AS status, 400000000 AS network_ns");
        }
        // A response of an error whose connection was closed before its end.
        planted.sql("UPDATE requests SET outcome = 'ABORTED' WHERE status = 503");
        planted.sql("UPDATE captures SET end_mono_ns = 3000000000");
        planted.sql("INSERT INTO losses BY NAME SELECT 1 AS capture_id, 1 AS probe_id, 'poll' AS probe, 90 AS count,"
                + " 'RING_FULL' AS reason, 0 AS from_mono_ns, 9000000000 AS to_mono_ns");
        return planted;
    }

    private static void polls(Planted planted, Random random) throws Exception {
        double atMs = random.nextInt(2000);
        while (atMs < LENGTH_MS) {
            double wait = random.nextInt(40);
            planted.poll(atMs, atMs + wait);
            atMs += wait * (random.nextInt(5) == 0 ? 0.5 : 1) + random.nextInt(random.nextInt(4) == 0 ? 400 : 20);
        }
    }

    private static void switches(Planted planted, Random random) throws Exception {
        double atMs = at(random);
        double readyMs = atMs + random.nextInt(120);
        double inMs = readyMs + random.nextInt(120);
        int tid = TIDS[random.nextInt(TIDS.length)];
        boolean isPreempted = random.nextBoolean();
        planted.offCpu(tid, atMs, inMs, isPreempted);
        if (!isPreempted) {
            planted.waking(TIDS[random.nextInt(TIDS.length)], readyMs, tid);
        }
    }

    private static void span(
            Planted planted,
            Random random,
            String category,
            String probe,
            Map<String, Object> arguments,
            long returned,
            int longestMs)
            throws Exception {
        double atMs = at(random);
        planted.span(
                TIDS[random.nextInt(2)], category, probe, atMs, atMs + random.nextInt(longestMs), arguments, returned);
    }

    private static double at(Random random) {
        return random.nextInt((int) (LENGTH_MS * 10)) / 10.0;
    }

    /** Checks the columns {@code share}, and shares in texts. */
    private static final class ShareChecker implements ResultWriter {
        private final String view;
        private List<ResultColumn> columns = List.of();

        ShareChecker(String view) {
            this.view = view;
        }

        @Override
        public void begin(List<ResultColumn> begun) {
            columns = new ArrayList<>(begun);
        }

        @Override
        public void row(@Nullable Object[] values) {
            for (int i = 0; i < values.length; i++) {
                if (values[i] instanceof Number number && columns.get(i).name().contains("share")) {
                    assertThat(number.doubleValue()).as(view).isBetween(0.0, 100.0);
                }
                if (values[i] instanceof String text) {
                    assertShares(text);
                }
            }
        }

        @Override
        public void end() {
            // Checked row by row.
        }
    }
}
