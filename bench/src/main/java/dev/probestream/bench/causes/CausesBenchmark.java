package dev.probestream.bench.causes;

import dev.probestream.bench.causes.Cause.Verdict;
import dev.probestream.bench.database.PostgresServer;
import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.Grid;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.node.NodeVersion;
import dev.probestream.bench.node.NpmPackages;
import dev.probestream.bench.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the report names first what is wrong, on a quiet machine, a busy one, and under a load near the limit. */
public final class CausesBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private final Path home = Path.of(System.getProperty(HOME, ".")).toAbsolutePath();

    /** What else runs, and how much there is to do: burners are processes that take all the CPU time they get. */
    private enum Load {
        QUIET(0, 1),
        BUSY(4, 1),
        NEAR(0, 3);

        final int burners;
        final int times;

        Load(int burners, int times) {
            this.burners = burners;
            this.times = times;
        }

        String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One recorded application. */
    private record Run(NodeVersion node, Cause cause, Load load, List<ReportedFinding> findings) {
        Verdict verdict() {
            return cause.verdict(findings);
        }

        List<String> row() {
            return List.of(
                    node.title(),
                    cause.app(),
                    load.title(),
                    verdict().name().toLowerCase(Locale.ROOT),
                    Integer.toString(cause.wrong(findings).size()),
                    findings.stream()
                            .map(each -> each.severity()
                                    + (each.isConsequence() ? " (" + each.rule() + ")" : " " + each.rule()))
                            .collect(Collectors.joining(", ")));
        }
    }

    @Override
    public String name() {
        return "causes";
    }

    @Override
    public String about() {
        return "whether the report names first what is wrong with an application";
    }

    @Override
    public List<String> options() {
        return List.of("nodes", "applications", "loads", "keep");
    }

    @Override
    public void run(ResultTable table) throws Exception {
        run(table, new Options(Map.of()));
    }

    @Override
    public void run(ResultTable table, Options options) throws IOException, InterruptedException {
        PathMatcher wanted = FileSystems.getDefault()
                .getPathMatcher("glob:" + options.text("applications").orElse("*"));
        List<String> loads = options.list("loads", List.of());
        Path keep = options.text("keep").map(Path::of).map(Path::toAbsolutePath).orElse(null);
        List<Run> runs = new ArrayList<>();
        try (PostgresServer database = PostgresServer.start()) {
            for (Load load : Load.values()) {
                for (NodeVersion node : NodeVersion.of(options.list("nodes", List.of()))) {
                    for (Cause cause : Cause.all()) {
                        if ((loads.isEmpty() || loads.contains(load.title())) && wanted.matches(Path.of(cause.app()))) {
                            runs.add(measure(database, load, node, cause, keep));
                        }
                    }
                }
            }
        }
        Grid grid = new Grid("Node", "application", "load", "named", "wrong", "findings (consequences)");
        Grid wrong = new Grid("Node", "application", "load", "rule", "wrong, of high severity");
        for (Run run : runs) {
            grid.add(run.row());
            run.cause
                    .wrong(run.findings)
                    .forEach(each -> wrong.add(
                            List.of(run.node.title(), run.cause.app(), run.load.title(), each.rule(), each.title())));
        }
        table.grid(grid);
        table.grid(wrong);
        table.value("runs", runs.size(), "");
        for (Verdict verdict : Verdict.values()) {
            table.value(
                    verdict.name().toLowerCase(Locale.ROOT),
                    (int) runs.stream().filter(run -> run.verdict() == verdict).count(),
                    "");
        }
        table.exactly(
                "wrong",
                runs.stream()
                        .mapToInt(run -> run.cause.wrong(run.findings).size())
                        .sum(),
                0);
    }

    private Run measure(PostgresServer database, Load load, NodeVersion node, Cause cause, @Nullable Path keep)
            throws IOException, InterruptedException {
        try (Folder temporary = Folder.create()) {
            String title = node.title() + " " + cause.app() + " " + load.title();
            Path folder = keep == null ? temporary.path() : Folder.fresh(keep, title);
            NpmPackages.withScripts(temporary.path(), "healthy/", List.of());
            PlantedApplication application = new PlantedApplication(
                    temporary.path(),
                    folder,
                    home,
                    node.executable(),
                    database.url(),
                    cause.app(),
                    load.burners,
                    load.times);
            Run run = new Run(node, cause, load, application.run());
            System.err.println(String.join(" ", run.row()));
            return run;
        }
    }
}
