package dev.probestream.bench.healthy;

import dev.probestream.bench.database.Databases;
import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.Grid;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.node.Application;
import dev.probestream.bench.node.NodeProgram;
import dev.probestream.bench.node.NodeVersion;
import dev.probestream.bench.report.ReportedFinding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether the report accuses healthy applications of frameworks and clients from npm, on a quiet machine and beside
 * processes that take all the CPU time they get.
 */
public final class HealthyBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int BURNERS = 4;
    /** So much of its CPU time a quiet machine has left while the load goes on and the recording is made. */
    private static final double QUIET_IDLE_SHARE = 0.5;

    /** At the edges of a recording is what was sent before it began, or not served when it ended. */
    private static final int RECORDED_PERCENT = 95;

    private final Path launcher =
            Path.of(System.getProperty(HOME, "."), "probestream").toAbsolutePath();

    /** What else runs. */
    private enum Condition {
        QUIET,
        BUSY;

        String title() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The options of each run. */
    private record Plan(String glob, int runs, @Nullable Path keep) {}

    /** An application's recording on one Node, in one condition. */
    private record Run(
            NodeVersion node, Application application, Condition condition, RecordedApplication.Result result) {
        int accusations() {
            return (int) result.findings().stream().filter(this::accuses).count();
        }

        /** Other programs can make the machine busy where this benchmark starts no burners, too. */
        private boolean accuses(ReportedFinding finding) {
            return finding.isAccusation(result.idleShare() >= QUIET_IDLE_SHARE);
        }

        List<String> row() {
            String findings = result.findings().stream()
                    .map(each -> each.severity() + " " + each.rule())
                    .collect(Collectors.joining(", "));
            return List.of(
                    node.title(),
                    application.title(),
                    condition.title(),
                    String.format(Locale.ROOT, "%.0f %%", 100 * result.idleShare()),
                    result.recorded() + " / " + result.sent(),
                    findings,
                    Integer.toString(accusations()));
        }

        List<String> row(ReportedFinding finding) {
            return List.of(
                    node.title(),
                    application.title(),
                    condition.title(),
                    finding.severity(),
                    finding.rule(),
                    accuses(finding) ? "yes" : "no",
                    finding.title());
        }
    }

    @Override
    public String name() {
        return "healthy";
    }

    @Override
    public String about() {
        return "whether the report accuses healthy applications of frameworks and clients from npm";
    }

    @Override
    public List<String> options() {
        return List.of("nodes", "applications", "runs", "keep");
    }

    @Override
    public List<String> flags() {
        return List.of("quiet-only", "busy-only");
    }

    @Override
    public void run(ResultTable table) throws Exception {
        run(table, new Options(Map.of()));
    }

    @Override
    public void run(ResultTable table, Options options) throws IOException, InterruptedException {
        Plan plan = new Plan(
                options.text("applications").orElse("*"),
                options.number("runs", 1),
                options.text("keep").map(Path::of).map(Path::toAbsolutePath).orElse(null));
        List<Run> runs = new ArrayList<>();
        try (Databases databases = Databases.start()) {
            // All quiet runs first: the load average falls slowly after busy ones.
            for (Condition condition : conditions(options)) {
                for (NodeVersion node : NodeVersion.of(options.list("nodes", List.of()))) {
                    for (Application application : applications(node, plan.glob)) {
                        for (int seed = 1; seed <= plan.runs; seed++) {
                            runs.add(measure(databases, condition, node, application, plan, seed));
                        }
                    }
                }
            }
        }
        Grid grid = new Grid("Node", "application", "machine", "idle", "recorded / sent", "findings", "accusations");
        Grid findings = new Grid("Node", "application", "machine", "severity", "rule", "accuses", "title");
        for (Run run : runs) {
            grid.add(run.row());
            run.result.findings().forEach(each -> findings.add(run.row(each)));
        }
        table.grid(grid);
        table.grid(findings);
        table.value("runs", runs.size(), "");
        table.atLeast(
                "requests recorded",
                100.0
                        * runs.stream().mapToInt(each -> each.result.recorded()).sum()
                        / runs.stream().mapToInt(each -> each.result.sent()).sum(),
                "% of those sent",
                RECORDED_PERCENT);
        table.exactly("accused", runs.stream().mapToInt(Run::accusations).sum(), 0);
    }

    private static List<Condition> conditions(Options options) {
        if (options.has("quiet-only")) {
            return List.of(Condition.QUIET);
        }
        return options.has("busy-only") ? List.of(Condition.BUSY) : List.of(Condition.values());
    }

    private static List<Application> applications(NodeVersion node, String glob)
            throws IOException, InterruptedException {
        try (Folder folder = Folder.create();
                NodeProgram program = NodeProgram.start(List.of(
                        node.executable(),
                        RecordedApplication.prepare(folder.path())
                                .resolve("server.js")
                                .toString(),
                        "list"))) {
            return Pattern.compile(" ")
                    .splitAsStream(program.firstLine())
                    .map(Application::parse)
                    .filter(each -> each.fits(glob))
                    .toList();
        }
    }

    private Run measure(
            Databases databases, Condition condition, NodeVersion node, Application application, Plan plan, int seed)
            throws IOException, InterruptedException {
        String title = node.title() + " " + application.title() + " " + condition.title();
        try (Folder temporary = Folder.create()) {
            Path folder = plan.keep == null ? temporary.path() : Folder.fresh(plan.keep, title);
            int burners = condition == Condition.BUSY ? BURNERS : 0;
            Run run = new Run(
                    node,
                    application,
                    condition,
                    new RecordedApplication(
                                    temporary.path(), folder, node.executable(), launcher, application, burners, seed)
                            .run(databases));
            System.err.println(String.join(" ", run.row()));
            return run;
        }
    }
}
