package dev.probestream.cli.options;

import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.dialect.TraceLine;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What to record and for how long, for every command that captures. */
public final class ProbeOptions {
    private static final String DEFAULT_RING_SIZE = "16M";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--probes",
            paramLabel = "SETS_OR_SPEC",
            order = 7,
            description = "Probe sets, separated by commas, or one probe spec; can be repeated. Default: all;"
                    + " of collect, which goes on for long: watch."
                    + " Functions of a set that the process does not have are skipped and listed.")
    private List<String> probes = new ArrayList<>();

    @Mixin
    private LimitOption limit;

    @Mixin
    private BudgetOption budget;

    @Option(
            names = "--ring-size",
            paramLabel = "SIZE",
            order = 9,
            defaultValue = DEFAULT_RING_SIZE,
            converter = RingSizeConverter.class,
            description =
                    "Size of the ring buffer between kernel and collector, a power of two; a larger buffer absorbs longer bursts. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int ringSizeBytes;

    @Option(
            names = "--show-query",
            order = 10,
            description =
                    "Record the URLs of requests and the text of SQL unchanged. Default: the values in query strings"
                            + " (/a?user=*** for /a?user=ann) and the literals of SQL are masked.")
    private boolean showQuery;

    @Option(
            names = "--show-paths",
            order = 10,
            description = "Record the paths of URLs and the names of files unchanged. Default: parts that look like a"
                    + " token are masked, /reset/*** for /reset/x7Kp2mQ9.")
    private boolean showPaths;

    @Option(
            names = "--show-args",
            order = 11,
            description = "Record command lines unchanged. Default: passwords, tokens and the like in them are masked,"
                    + " --password=*** for --password=x.")
    private boolean showArguments;

    /**
     * The request to collect from {@code selection}.
     *
     * @param targets the options that the selection came from
     * @param defaultProbes the group of sets if none is given
     * @param defaultBudget if none is given
     * @throws picocli.CommandLine.ParameterException if the time limit is zero
     * @throws dev.probestream.collector.probe.SpecSyntaxException if a probe spec is invalid
     */
    public CollectionRequest request(
            TargetSelection selection, TargetOptions targets, String defaultProbes, Budget defaultBudget) {
        return begin(selection, targets, defaultProbes, defaultBudget).build();
    }

    /** As {@link #request}, for a command that adds to it. */
    public CollectionRequest.Builder begin(
            TargetSelection selection, TargetOptions targets, String defaultProbes, Budget defaultBudget) {
        return CollectionRequest.of(selection)
                .probes(ProbeSet.select(
                        probes.isEmpty() ? List.of(defaultProbes) : probes,
                        text -> TraceLine.probes(text, "a recording")))
                .limit(limit.limit())
                .followChildren(targets.isFollow())
                .ringSizeBytes(ringSizeBytes)
                .commandLine(commandLine())
                .showing(new Disclosure(showQuery, showPaths, showArguments))
                .budget(budget.budget(defaultBudget))
                .toolVersion(Version.current());
    }

    /** The command line as the user typed it; it is stored in the recording. */
    private List<String> commandLine() {
        List<String> words = new ArrayList<>(List.of("probestream"));
        words.addAll(spec.commandLine().getParent().getParseResult().originalArgs());
        return words;
    }
}
