package dev.probestream.cli;

import dev.probestream.cli.demo.DemoTable;
import dev.probestream.cli.demo.Load;
import dev.probestream.cli.demo.LoadOutcome;
import dev.probestream.cli.demo.SampleServer;
import dev.probestream.cli.demo.ServerCounts;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.Collector;
import dev.probestream.collector.StopSignal;
import dev.probestream.collector.TargetSelection;
import dev.probestream.collector.probe.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.resolve.ResolveException;
import dev.probestream.convert.Slice;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code demo}: the main job on a sample, from a Node server under load to traces and a table. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Records a sample Node server under load for five seconds.",
        description = {
            "",
            "Starts a small Node server and a load on it (on loopback, both end by themselves), records it with all probe"
                    + " sets, writes trace.avro, trace.pftrace and trace.json, and prints what they show.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 77 not permitted, not supported here, or no Node found.",
            "",
            "Example:",
            "  sudo ./probestream demo"
        })
final class DemoCommand implements Callable<Integer> {
    private static final Duration LOAD = Duration.ofSeconds(5);
    private static final int RING_SIZE_BYTES = 16 << 20;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            defaultValue = "demo",
            description = "Where to leave the traces; made when it is not there. Default: ${DEFAULT-VALUE}.")
    private Path folder = Path.of("");

    @Option(names = "--node", paramLabel = "PATH", description = "The node to run. Default: the first one in PATH.")
    private @Nullable Path nodePath;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        NodeBinary node = node();
        Permission.toRecord();
        createFolder();
        Path recording = folder.resolve("trace.avro");
        PrintWriter out = spec.commandLine().getOut();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        try (SampleServer server = SampleServer.start(node)) {
            terminal.say("recording node " + node.version().orElse("of unknown version") + " (" + node.path() + ", pid "
                    + server.pid() + ") under load for " + LOAD.toSeconds() + " s");
            LoadOutcome load = record(server, recording, terminal);
            ServerCounts counts = server.counts();
            DemoTable.of(load, counts, recording).print(out);
        }
        Set<String> remarks = new LinkedHashSet<>();
        for (String name : List.of("trace.pftrace", "trace.json")) {
            remarks.addAll(ConvertCommand.run(List.of(recording), folder.resolve(name), Slice.ALL, terminal)
                    .remarks());
        }
        remarks.forEach(terminal::say);
        out.println();
        out.println(folder.resolve("trace.pftrace") + "   open it at https://ui.perfetto.dev");
        out.println(folder.resolve("trace.json") + "      open it in Chrome at chrome://tracing");
        out.println(recording + "      the recording: probestream convert " + recording
                + " -o part.pftrace --from 1s --to 2s");
        out.flush();
        return ExitCode.DONE.value();
    }

    private void createFolder() throws CommandException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot create the folder " + folder + " for the traces (" + e.getMessage()
                            + "); name another one with -o",
                    e);
        }
    }

    private NodeBinary node() throws CommandException {
        if (nodePath != null) {
            if (!Files.isExecutable(nodePath)) {
                throw new CommandException(
                        ExitCode.NOT_PERMITTED, "cannot run " + nodePath + ": it is not an executable file");
            }
            return new NodeBinary(nodePath);
        }
        return NodeBinary.inPath(System.getenv().getOrDefault("PATH", ""))
                .orElseThrow(() -> new CommandException(
                        ExitCode.NOT_PERMITTED,
                        "there is no node in PATH to record: " + NodeBinary.HOW_TO_GET + ", or name one with --node"));
    }

    /** The load runs inside the recording, from after the last probe is attached to before the first is detached. */
    private LoadOutcome record(SampleServer server, Path recording, Terminal terminal)
            throws IOException, ResolveException {
        CollectionRequest request = new CollectionRequest(
                TargetSelection.ofPids(List.of(server.pid())),
                ProbeSet.select(List.of("all")),
                Optional.empty(),
                false,
                RING_SIZE_BYTES,
                List.of("probestream", "demo"));
        StopSignal stop = new StopSignal();
        BackgroundLoad load = new BackgroundLoad(new Load(server.address()), LOAD, stop);
        ProgressLine line = new ProgressLine(terminal, System::nanoTime);
        try (Signals signals = new Signals();
                Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(recording)) {
            signals.onFirst(load::stop);
            collector.notices().forEach(terminal::say);
            CollectionOutcome outcome = collector.run(publisher, Version.current(), stop, (events, lost, bytes) -> {
                // The first word of progress: every probe is in place.
                load.startOnce();
                line.progress(events, lost, bytes);
            });
            terminal.say(Summary.recorded(outcome, recording, publisher.publishedBytes()));
            return load.outcome();
        }
    }
}
