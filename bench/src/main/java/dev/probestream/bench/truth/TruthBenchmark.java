package dev.probestream.bench.truth;

import dev.probestream.bench.database.Databases;
import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.Grid;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.node.Application;
import dev.probestream.bench.node.Burners;
import dev.probestream.bench.node.NodePackage;
import dev.probestream.bench.node.NodeVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether statements, files and outgoing requests are found to be those of the request whose handler orders them: in applications of
 * frameworks and clients from npm, under load, with and without a middleware that sleeps.
 */
public final class TruthBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int REQUESTS = 60;
    private static final int EXAMPLES = 2;
    private static final int BURNERS = 4;

    private final Path home = Path.of(System.getProperty(HOME, ".")).toAbsolutePath();

    /** The options of each run. */
    private record Plan(
            String glob,
            String probes,
            int requests,
            int repeat,
            boolean isCollecting,
            @Nullable Path keep) {}

    @Override
    public String name() {
        return "truth";
    }

    @Override
    public String about() {
        return "whether what requests do is found to be theirs, in applications of frameworks and clients from npm";
    }

    @Override
    public List<String> options() {
        return List.of("nodes", "applications", "probes", "requests", "repeat", "examples", "keep");
    }

    @Override
    public List<String> flags() {
        return List.of("busy", "package", "collecting");
    }

    @Override
    public void run(ResultTable table) throws Exception {
        run(table, new Options(Map.of()));
    }

    @Override
    @SuppressWarnings("try") // the burners are only to run
    public void run(ResultTable table, Options options) throws IOException, InterruptedException, SQLException {
        Plan plan = new Plan(
                options.text("applications").orElse("*"),
                options.text("probes").orElse("node-*"),
                options.number("requests", REQUESTS),
                options.number("repeat", 1),
                options.has("collecting"),
                options.text("keep").map(Path::of).map(Path::toAbsolutePath).orElse(null));
        Path nodePackage = home.resolve("node");
        if (options.has("package")) {
            NodePackage.build(nodePackage);
        }
        int examples = options.number("examples", EXAMPLES);
        int wrong = 0;
        try (Databases databases = Databases.start();
                Burners burners = Burners.start(options.has("busy") ? BURNERS : 0)) {
            for (NodeVersion node : NodeVersion.of(options.list("nodes", List.of()))) {
                wrong += measure(table, databases, node.plain(), plan, examples);
                if (options.has("package")) {
                    wrong += measure(table, databases, node.with(nodePackage), plan, examples);
                }
            }
        }
        table.exactly("wrong", wrong, 0);
    }

    private int measure(ResultTable table, Databases databases, NodeVersion node, Plan plan, int examples)
            throws IOException, InterruptedException, SQLException {
        List<Application> fitting = ServedApplications.list(node.executable()).stream()
                .filter(each -> each.fits(plan.glob))
                .toList();
        Map<String, List<Application>> byFramework = fitting.stream()
                .filter(Application::isSupported)
                .collect(Collectors.groupingBy(Application::framework, LinkedHashMap::new, Collectors.toList()));
        List<ComparedOrder> all = new ArrayList<>();
        for (List<Application> applications : byFramework.values()) {
            for (int i = 0; i < plan.repeat; i++) {
                all.addAll(comparisons(table, databases, node, plan, applications));
            }
        }
        fill(table, node, all, examples);
        String leftOut = fitting.stream()
                .filter(each -> !each.isSupported())
                .map(each -> each.title() + " (" + each.since() + ")")
                .collect(Collectors.joining(", "));
        if (!leftOut.isEmpty()) {
            table.note(node.title() + ": left out, for their packages need a later Node: " + leftOut + ".");
        }
        return Tallies.count(all, Verdict.WRONG);
    }

    private List<ComparedOrder> comparisons(
            ResultTable table, Databases databases, NodeVersion node, Plan plan, List<Application> applications)
            throws IOException, InterruptedException, SQLException {
        String title = node.title() + ", " + applications.get(0).framework();
        try (Folder temporary = Folder.create()) {
            Path folder = plan.keep == null ? temporary.path() : Folder.fresh(plan.keep, title);
            ServedApplications.Result result = new ServedApplications(
                            temporary.path(),
                            folder,
                            node.command(),
                            home.resolve("probestream"),
                            applications,
                            plan.probes,
                            plan.requests,
                            plan.isCollecting)
                    .run(databases);
            System.err.printf(
                    "%s: %d right, %d wrong, %d unknown%n",
                    title,
                    Tallies.count(result.comparisons(), Verdict.RIGHT),
                    Tallies.count(result.comparisons(), Verdict.WRONG),
                    Tallies.count(result.comparisons(), Verdict.UNKNOWN));
            if (!result.losses().isEmpty()) {
                table.note(title + ": the recording lost hits: " + result.losses() + ".");
            }
            return result.comparisons();
        }
    }

    private static void fill(ResultTable table, NodeVersion node, List<ComparedOrder> all, int examples) {
        Grid grid = new Grid(node.title(), "kind", "right", "wrong", "unknown", "not recorded", "share right");
        Tallies.of(all, each -> each.ordered().application() + "\t" + each.kind())
                .fill(grid);
        Tallies.of(all, each -> "all\t" + each.kind()).fill(grid);
        table.grid(grid);
        List<ComparedOrder> withSource = all.stream()
                .filter(each -> each.hit() != null && !each.hit().source().isEmpty())
                .filter(each -> !each.kind().equals(ComparedOrder.WAITED))
                .toList();
        Grid bySource = new Grid("source", "kind", "right", "wrong", "unknown", "not recorded", "share right");
        Tallies.of(withSource, each -> sourceOf(each) + "\t" + each.kind()).fill(bySource);
        table.grid(bySource);
        table.grid(Examples.grid(all, examples));
    }

    private static String sourceOf(ComparedOrder comparison) {
        return Optional.ofNullable(comparison.hit()).map(OwnedHit::source).orElse("");
    }
}
