package dev.probestream.cli.record;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.nodetrace.TraceCategories;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.NodeTraceOption;
import dev.probestream.cli.options.ProbeOptions;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.options.VerboseOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.OutputFile;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code record}: records hits of probes on running processes into a file. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = RecordCommand.HEADER,
        customSynopsis = {
            "probestream record (-p PID... | --comm NAME | --cgroup FOLDER | --all |",
            "                           -- CMD...)",
            "                          -o FILE|DIR/ [--probes SETS_OR_SPEC]... [--for TIME]",
            "                          [--follow] [--ring-size SIZE] [--show-query]",
            "                          [--show-paths] [--show-args] [--budget PERCENT]",
            "                          [--v8-trace CATEGORIES] [--json] [-v]",
        },
        description = {
            "",
            "Attaches probes and records every hit with its time, thread, arguments and result, until --for has passed,"
                    + " Ctrl-C is pressed, or the processes have ended; the file is complete in each case. Dropped hits"
                    + " are counted, and the count is part of the recording.",
            ""
        },
        footer = {
            "",
            "See 'help sets' for the probe sets, and 'help specs' for probe specs.",
            "",
            "An existing FILE is renamed to FILE.old. If FILE is a trace, the recording is FILE.avro until the trace is"
                    + " complete; in DIR it is recording.avro until the tables are complete.",
            "",
            "--json: one object at the end: captureId, reason, delivered, lost, seconds, cost {cpuPercent,"
                    + " targetPercent, sets}, output.",
            "",
            "Recording needs CAP_BPF and CAP_PERFMON, and CAP_SYS_PTRACE for processes of other users; root has them.",
            "",
            "Exit codes: 0 success, also if a signal or the end of the processes ended it; 1 failure; 2 wrong usage;"
                    + " 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream record -p 4711 --for 10s -o trace.pftrace",
            "  sudo ./probestream record --probes node-fs,node-loop -o app.avro -- node app.js",
            "  sudo ./probestream record -p 4711 --for 1m -o tables/",
            "  sudo ./probestream record -p 4711 --probes incident --for 30s -o incident.avro",
            "  sudo ./probestream record --v8-trace v8,node.http -o app.pftrace -- node app.js",
            "  sudo ./probestream record --comm redis-server --for 5s -o redis.json \\",
            "      --probes 'span:processCommand' --probes sched"
        })
public final class RecordCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Records the hits of probes on processes and the kernel.";

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ProbeOptions probes;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE|DIR/",
            order = 6,
            description = {
                "The output; the extension selects the format:",
                ".avro   the recording, for 'convert' and every Avro tool",
                ".pftrace   a trace for https://ui.perfetto.dev",
                ".json, .json.gz   a trace for chrome://tracing",
                "DIR/   a folder of Parquet tables, created if it does not exist: events, spans, requests, stacks,"
                        + " processes, threads, probes, captures, losses"
            })
    private String output = "";

    @Mixin
    private NodeTraceOption nodeTrace;

    @Mixin
    private JsonOption json;

    @Mixin
    private VerboseOption verbose;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        TargetSelection selection = targets.selection();
        OutputFile file = OutputFile.check(output);
        Optional<TraceCategories> categories = nodeTrace.categories(selection, file);
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        CollectionOutcome outcome = record(selection, file, categories, terminal);
        if (json.isJson()) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(Summary.json(outcome).put("output", output).toString());
            out.flush();
        }
        Summary.requireFound(outcome.misspelled());
        return ExitCode.DONE.value();
    }

    private CollectionOutcome record(
            TargetSelection selection, OutputFile file, Optional<TraceCategories> categories, Terminal terminal)
            throws CommandException, IOException, ResolveException {
        if (categories.isEmpty()) {
            return new Recording(
                            probes.request(selection, targets, "all", Budget.GUARD_ONLY),
                            file,
                            terminal,
                            verbose.isVerbose())
                    .run();
        }
        try (RecordedNodeTrace trace = RecordedNodeTrace.of(selection, categories.get(), terminal)) {
            CollectionRequest request = probes.request(trace.selection(), targets, "all", Budget.GUARD_ONLY);
            return new Recording(request, file, terminal, verbose.isVerbose()).run(trace);
        }
    }
}
