package dev.probestream.query.report.page;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportContents.Advice;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.ReportContents.Fact;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reports with every kind of part: an incident as it may be, one of hostile texts, and one with nothing in it. */
final class SampleReport {
    static final String MARKUP = "</script><script>window.broken=1</script><img src=x onerror=\"window.broken=2\"><!--";
    private static final double START_MS = 1_795_300_000_000.0;

    private SampleReport() {}

    /** A server whose pool was starved by crypto. */
    static ReportContents incident() {
        List<Section> sections = List.of(
                new Section(
                        "requests",
                        "Requests",
                        "When they arrived, how long they took. A step upwards in the latency is where to look first.",
                        List.of(rate(), latency(), distribution())),
                new Section(
                        "slow-requests",
                        "The slowest requests",
                        "Each bar is one request, split by where its time went.",
                        List.of(slowest())),
                new Section("loop", "The event loop", "How late the loop's turns began.", List.of(lag(), stalls())),
                new Section("files", "Files", "What was opened, read and written most.", List.of(files())),
                new Section("cpu", "Where the CPU went", "", List.of(flame())),
                new Section(
                        "gc",
                        "Garbage collection",
                        "",
                        List.of(new ReportPart.Words("", "No collection was recorded."))));
        return new ReportContents(
                "node server.js on web-3: 60 s, 18 204 requests",
                "2026-11-21T22:10:04Z",
                "0.1.0",
                List.of(capture("web-3/4711", true), capture("web-3/4711, after the restart", false)),
                findings(),
                List.of(new Advice(
                        "DNS lookups were not recorded.", "Record with --probes incident to see which host was slow.")),
                sections);
    }

    /** A cause and its consequence, of a whole recording with warnings. */
    static ReportContents withConsequence() {
        return new ReportContents(
                "shop/server.js (node, pid 4711) on web-3",
                "2026-11-21T22:10:04Z",
                "0.1.0",
                List.of(new CaptureSummary(
                        "web-3", List.of(new Fact("warnings", "attached, not hit: a\nlate: b")), true)),
                List.of(
                        new Finding(
                                "connection-errors",
                                Severity.HIGH,
                                "128 of 468 requests to 127.0.0.1:9000 were reset.",
                                "ECONNRESET.",
                                List.of(),
                                "Check the peer.",
                                false),
                        new Finding(
                                "errors",
                                Severity.MEDIUM,
                                "9 % of the requests failed.",
                                "Most of them GET /orders/:id.",
                                List.of(),
                                "Look at the errors.",
                                true)),
                List.of(),
                List.of());
    }

    private static List<Finding> findings() {
        return List.of(
                new Finding(
                        "pool-starved",
                        Severity.HIGH,
                        "Four pool threads were busy in pbkdf2 from lib/auth.js:41 while requests waited",
                        "61 % of the slow requests waited for the thread pool, 412 ms in the middle; its four threads ran"
                                + " crypto work 98 % of that time.",
                        List.of(
                                new Evidence("the slowest requests", "slow-requests"),
                                new Evidence("CPU samples", "cpu"))),
                new Finding(
                        "sync-fs",
                        Severity.MEDIUM,
                        "readFileSync of /srv/app/config.json in render (lib/page.js:12) held the loop 1 204 times",
                        "8.3 s of the loop's time in all, 6.9 ms each.",
                        List.of(new Evidence("files", "files"))),
                new Finding(
                        "errors", Severity.NOTE, "12 opens failed with ENOENT", "All of /srv/app/.env.", List.of()));
    }

    private static CaptureSummary capture(String name, boolean isWhole) {
        return new CaptureSummary(
                name,
                List.of(
                        new Fact("host", "web-3, Linux 6.1.0-18-amd64, 4 CPUs"),
                        new Fact("command", "probestream record -p 4711 --probes incident --for 60s -o incident.avro"),
                        new Fact("start", "2026-11-21 22:08:20.113 UTC"),
                        new Fact("duration", "60.0 s"),
                        new Fact("events", "4 193 220"),
                        new Fact("lost", isWhole ? "none" : "8 112 events of 3 probes (0.19 %), all in 2.1 s")),
                isWhole);
    }

    private static List<Double> times(int count, double stepMs) {
        return IntStream.range(0, count).mapToObj(i -> START_MS + i * stepMs).toList();
    }

    private static ReportPart.Line line(String name, ReportPart.Shape shape, int count, double level, long seed) {
        Random random = new Random(seed);
        List<@Nullable Double> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean isIncident = i > count / 2 && i < count * 3 / 4;
            values.add(i == 7 ? null : level * (isIncident ? 6 : 1) * (0.8 + random.nextDouble() * 0.4));
        }
        return new ReportPart.Line(name, shape, values);
    }

    private static ReportPart rate() {
        return new ReportPart.Series(
                "Requests that ended, by status",
                "requests/s",
                times(120, 500),
                List.of(
                        line("2xx", ReportPart.Shape.AREA, 120, 280, 1),
                        line("4xx", ReportPart.Shape.AREA, 120, 12, 2),
                        line("5xx", ReportPart.Shape.AREA, 120, 3, 3)));
    }

    private static ReportPart latency() {
        return new ReportPart.Series(
                "Latency",
                "ms",
                times(120, 500),
                List.of(
                        line("p50", ReportPart.Shape.LINE, 120, 11, 4),
                        line("p99", ReportPart.Shape.LINE, 120, 140, 5),
                        line("aborted", ReportPart.Shape.POINTS, 120, 200, 6)));
    }

    private static ReportPart distribution() {
        List<Double> edges = new ArrayList<>();
        List<Long> counts = new ArrayList<>();
        for (int i = 0; i <= 40; i++) {
            edges.add(0.5 * Math.pow(10, i / 10.0));
            if (i < 40) {
                counts.add(Math.round(
                        4000 * Math.exp(-Math.pow((i - 14) / 5.0, 2)) + 900 * Math.exp(-Math.pow((i - 29) / 2.5, 2))));
            }
        }
        return new ReportPart.Histogram(
                "How long requests took",
                "ms",
                edges,
                counts,
                List.of(
                        new ReportPart.Mark("p50", 13.1),
                        new ReportPart.Mark("p95", 388.0),
                        new ReportPart.Mark("p99", 512.0),
                        new ReportPart.Mark("max", 4_988.0)));
    }

    private static ReportPart slowest() {
        List<String> labels = IntStream.range(0, 12)
                .mapToObj(i -> "POST /api/v1/login?user=*** 200 at 22:08:" + (41 + i) + ".2" + i)
                .toList();
        return new ReportPart.Bars(
                "Where the slowest requests spent their time",
                "ms",
                labels,
                List.of(
                        new ReportPart.Stacked("waited for the pool", falling(12, 390)),
                        new ReportPart.Stacked("in the pool", falling(12, 110)),
                        new ReportPart.Stacked("JavaScript", falling(12, 22)),
                        new ReportPart.Stacked("waited for the loop", falling(12, 31)),
                        new ReportPart.Stacked("network", falling(12, 9))));
    }

    private static List<Double> falling(int count, double first) {
        return IntStream.range(0, count).mapToObj(i -> first / (1 + i * 0.12)).toList();
    }

    private static ReportPart lag() {
        return new ReportPart.Series(
                "Loop lag",
                "ms",
                times(600, 100),
                List.of(line("longest in 100 ms", ReportPart.Shape.LINE, 600, 4.2, 8)));
    }

    private static ReportPart stalls() {
        return new ReportPart.Bars(
                "What ran in the longest turns",
                "ms",
                List.of("render lib/page.js:12", "JSON.parse", "GC: mark-sweep"),
                List.of(new ReportPart.Stacked("on the CPU", List.of(812.0, 244.0, 61.0))));
    }

    private static ReportPart files() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(Arrays.asList(
                    "/srv/app/templates/section-" + i + "/page.html",
                    1204 / (i + 1),
                    8_300.0 / (i + 1),
                    i * 4096L * 3,
                    i % 7 == 0 ? null : "read"));
        }
        return new ReportPart.Table(
                "Files by time",
                List.of(
                        new ReportPart.Column("path", "", false),
                        new ReportPart.Column("opens", "", true),
                        new ReportPart.Column("time", "ms", true),
                        new ReportPart.Column("read", "bytes", true),
                        new ReportPart.Column("mostly", "", false)),
                rows);
    }

    private static ReportPart flame() {
        Random random = new Random(11);
        return new ReportPart.Flame(
                "CPU samples, by JavaScript and native function", "samples", tree("all", 6000, 0, random));
    }

    private static ReportPart.Node tree(String name, double value, int depth, Random random) {
        List<ReportPart.Node> children = new ArrayList<>();
        double left = value * 0.96;
        while (depth < 14 && left > 40 && children.size() < 6) {
            double share = Math.floor(left * (0.3 + random.nextDouble() * 0.65));
            String child =
                    (depth < 6 ? "handle" : depth < 10 ? "node::crypto::Deriver" : "do_sys_") + random.nextInt(30);
            children.add(tree(child, share, depth + 1, random));
            left -= share;
        }
        String type = depth == 0 ? "other" : depth < 7 ? "js" : depth < 11 ? "native" : "kernel";
        String file = type.equals("js") ? "/srv/app/lib/module" + random.nextInt(9) + ".js" : "";
        int line = file.isEmpty() ? 0 : 1 + random.nextInt(400);
        return new ReportPart.Node(name, "", value, type, file, line, "", children);
    }

    /** The same words everywhere where something recorded may stand. */
    static ReportContents hostile(String text) {
        List<ReportPart> parts = List.of(
                new ReportPart.Series(
                        text,
                        "ms",
                        times(3, 1000),
                        List.of(
                                new ReportPart.Line(text, ReportPart.Shape.LINE, List.of(1.0, 2.0, 3.0)),
                                new ReportPart.Line(text, ReportPart.Shape.AREA, List.of(1.0, 2.0, 3.0)))),
                new ReportPart.Histogram(
                        text, text, List.of(0.0, 1.0, 2.0), List.of(3L, 4L), List.of(new ReportPart.Mark(text, 1.5))),
                new ReportPart.Bars(
                        text,
                        "ms",
                        List.of(text, text),
                        List.of(new ReportPart.Stacked(text, List.of(1.0, Double.NaN)))),
                new ReportPart.Table(
                        text,
                        List.of(new ReportPart.Column(text, text, false), new ReportPart.Column("n", "", true)),
                        List.of(
                                Arrays.asList(text, 1),
                                Arrays.asList(new ReportPart.ShortText(text, text), 1),
                                Arrays.asList(null, Double.NaN),
                                Arrays.asList(1L << 60, text))),
                new ReportPart.Flame(
                        text,
                        "ms",
                        new ReportPart.Node(
                                text,
                                text,
                                2,
                                text,
                                text,
                                1,
                                text,
                                List.of(new ReportPart.Node(text, text, 2, text, text, 1, text, List.of())))),
                new ReportPart.Words(text, text));
        return new ReportContents(
                text,
                text,
                text,
                List.of(new CaptureSummary(text, List.of(new Fact(text, text)), false)),
                List.of(new Finding(text, Severity.HIGH, text, text, List.of(new Evidence(text, "all")))),
                List.of(new Advice(text, text)),
                List.of(new Section("all", text, text, parts)));
    }

    /** Every kind of part, and nothing in any. */
    static ReportContents empty() {
        return new ReportContents(
                "",
                "",
                "",
                List.of(),
                List.of(),
                List.of(),
                List.of(new Section(
                        "nothing",
                        "Nothing",
                        "",
                        List.of(
                                new ReportPart.Series("series", "ms", List.of(), List.of()),
                                new ReportPart.Histogram("histogram", "ms", List.of(), List.of(), List.of()),
                                new ReportPart.Bars("bars", "ms", List.of(), List.of()),
                                new ReportPart.Table("table", List.of(new ReportPart.Column("a", "", true)), List.of()),
                                new ReportPart.Flame(
                                        "flame",
                                        "ms",
                                        new ReportPart.Node("all", "", 0, "other", "", 0, "", List.of())),
                                new ReportPart.Words("words", "")))));
    }
}
