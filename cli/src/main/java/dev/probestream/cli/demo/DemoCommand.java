package dev.probestream.cli.demo;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code demo}: records a sample Node server under load through Kafka into traces, tables and a summary. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = DemoCommand.HEADER,
        description = {
            "",
            "Starts a small Node server with a load, a Kafka broker, and a sink for each format (all on loopback, all"
                    + " stop at the end). Records the server with all probe sets into Kafka, while the sinks write"
                    + " trace.pftrace, trace.json and the Parquet tables in parquet/. Prints a summary and verifies"
                    + " that every event arrived exactly once.",
            "",
            "Ctrl-C ends the load; the events recorded until then are written. A trace.pftrace, trace.json or parquet/ of an"
                    + " earlier demo is replaced.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage, 77 not permitted, not supported here, or no Node found.",
            "",
            "Example:",
            "  sudo ./probestream demo"
        })
public final class DemoCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Records a sample Node server under load for five seconds.";

    /** The longest name, trace.pftrace, has this many more characters than 'parquet/'. */
    private static final int PLACE_MARGIN = 5;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            defaultValue = "demo",
            description = "The folder for the traces and tables; created if it does not exist. Default:"
                    + " ${DEFAULT-VALUE}.")
    private Path folder = Path.of("");

    @Option(names = "--node", paramLabel = "PATH", description = "The node executable. Default: the first one in PATH.")
    private @Nullable Path nodePath;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException, SinkException, InterruptedException {
        NodeBinary node = node();
        Permission.toRecord();
        PrintWriter out = spec.commandLine().getOut();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        try (DemoFolder files = DemoFolder.open(folder)) {
            DemoRun.Outcome outcome = new DemoRun(node, files, terminal).run();
            new DemoTable(outcome.load(), outcome.server(), outcome.recorded()).print(out);
            outcome.counts().print(out);
            printPlaces(files, out);
            if (!outcome.counts().agree()) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "the counts along the way differ: events were lost or duplicated between the"
                                + " collector and the files; please report it");
            }
        }
        return ExitCode.DONE.value();
    }

    private static void printPlaces(DemoFolder files, PrintWriter out) {
        String tables = files.place(SinkFormat.PARQUET) + "/";
        String row = "%-" + (tables.length() + PLACE_MARGIN) + "s %s%n";
        out.println();
        out.printf(row, files.place(SinkFormat.PERFETTO), "open it at https://ui.perfetto.dev");
        out.printf(row, files.place(SinkFormat.CHROME), "open it in Chrome at chrome://tracing");
        out.printf(row, tables, "tables; in DuckDB: SELECT probe, count(*), median(duration_ns)");
        out.printf(row, "", "                   FROM '" + tables + "spans/**/*.parquet' GROUP BY probe");
        out.flush();
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
                        "no node found in PATH: " + NodeBinary.HOW_TO_GET + ", or specify one with --node"));
    }
}
