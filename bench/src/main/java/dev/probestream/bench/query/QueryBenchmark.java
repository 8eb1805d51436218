package dev.probestream.bench.query;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.measure.WorkTime;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * Questions to recordings of 5 M and 50 M events through our relations and views, against hand-written SQL on the files;
 * and the ASOF join that finds the spans of events against the join by intervals, on a part that it can cope with.
 */
public final class QueryBenchmark implements Benchmark {
    private static final long SMALL = 500_000;
    private static final long LARGE = 5_000_000;
    private static final long HUGE = 50_000_000;
    private static final long GIB = 1L << 30;
    private static final int THREADS = 2;
    private static final String HEAP = "-Xmx128m";
    private static final int ROUNDS = 5;
    private static final int HUGE_ROUNDS = 2;

    @Override
    public String name() {
        return "query";
    }

    @Override
    public String about() {
        return "questions to recordings of 5 M and 50 M events, against SQL by hand over the same files";
    }

    @Override
    public void run(ResultTable table) throws IOException, SQLException {
        List<QueryQuestion> questions = List.of(
                QueryQuestion.GROUPS,
                QueryQuestion.PATHS,
                QueryQuestion.SLOWEST,
                QueryQuestion.ONE_MINUTE,
                QueryQuestion.SPANS_OF_EVENTS);
        contest(table, SMALL, List.of(QueryQuestion.SPANS_BY_INTERVALS), ROUNDS);
        contest(table, LARGE, questions, ROUNDS);
        contest(table, HUGE, questions, HUGE_ROUNDS);
        table.note(String.format(
                Locale.ROOT,
                "CPU time of all threads from opening the folder to the last row; in brackets the median of the wall clock. %d"
                        + " threads, 1 GiB for DuckDB and %s for Java in each of two JVMs.",
                THREADS,
                HEAP));
    }

    private static void contest(ResultTable table, long events, List<QueryQuestion> questions, int rounds)
            throws IOException, SQLException {
        try (Folder folder = Folder.create();
                ChildJvm.Group children = new ChildJvm.Group()) {
            Path tables = folder.path().resolve("tables");
            QueryTables.write(tables, events);
            ChildJvm ours = children.keep(start(tables));
            ChildJvm byHand = children.keep(start(tables));
            List<Pair> pairs = questions.stream().map(Pair::new).toList();
            for (int round = 0; round < rounds; round++) {
                for (Pair pair : pairs) {
                    pair.ours.ask(ours, "OURS " + pair.question);
                    pair.byHand.ask(byHand, "BY_HAND " + pair.question);
                }
            }
            String size = String.format(Locale.ROOT, "%,d events: ", events);
            pairs.forEach(pair -> pair.into(table, size));
            table.value(size + "most memory of the JVM, ours", megabytes(ours), "MB");
            table.value(size + "most memory of the JVM, by hand", megabytes(byHand), "MB");
        }
    }

    private static double megabytes(ChildJvm child) throws IOException {
        return WorkTime.parse(child.ask("memory")).events() / 1e6;
    }

    private static ChildJvm start(Path tables) throws IOException {
        return ChildJvm.start(
                QueryChild.class,
                List.of(HEAP, "-XX:+UseSerialGC"),
                tables.toString(),
                String.valueOf(GIB),
                String.valueOf(THREADS));
    }

    /** One question, asked of both. */
    private record Pair(QueryQuestion question, Times ours, Times byHand) {
        private Pair(QueryQuestion question) {
            this(question, new Times(), new Times());
        }

        private void into(ResultTable table, String size) {
            String what = size + question.about();
            table.measured(what + ", by hand" + byHand.wall(), byHand.cpuMs(), "ms");
            table.compared(
                    what + ours.wall(),
                    ours.cpuMs(),
                    "ms",
                    ours.cpuMs().pairedRatios(byHand.cpuMs()).median(),
                    "by hand");
        }
    }

    /** What one question took, again and again. */
    private record Times(Samples cpuMs, Samples wallMs) {
        private Times() {
            this(new Samples(), new Samples());
        }

        private void ask(ChildJvm child, String question) throws IOException {
            WorkTime turn = WorkTime.parse(child.ask(question));
            cpuMs.add(Math.max(turn.cpuNs(), 1) / 1e6);
            wallMs.add(turn.wallNs() / 1e6);
        }

        private String wall() {
            return " [" + ResultTable.number(wallMs.median()) + " ms]";
        }
    }
}
