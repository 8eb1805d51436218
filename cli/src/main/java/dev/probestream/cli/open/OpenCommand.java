package dev.probestream.cli.open;

import dev.probestream.cli.convert.ConvertCommand;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.RecordingRange;
import dev.probestream.schema.file.TemporaryFolder;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code open}: serves a trace for Perfetto's UI. */
@Command(
        name = "open",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream open FILE [--once] [--port PORT]",
        sortOptions = false,
        header = OpenCommand.HEADER,
        description = {
            "",
            "Open the printed address in a browser on this machine: ui.perfetto.dev loads the trace from this process, and"
                    + " the trace stays in the browser. Only this file is served, and only to ui.perfetto.dev. An .avro"
                    + " recording is converted first, into a temporary file.",
            ""
        },
        footer = {
            "",
            "Perfetto's UI reads from port " + TraceServer.PERFETTO_PORT
                    + " of loopback only. With another port, a local page"
                    + " passes the trace to the UI after a click. If the browser asks whether ui.perfetto.dev may access this"
                    + " machine, allow it.",
            "",
            "On a server, without a browser: 'ssh -L " + TraceServer.PERFETTO_PORT + ":127.0.0.1:"
                    + TraceServer.PERFETTO_PORT
                    + " SERVER' on the machine with the browser, and open the same address there.",
            "",
            "Exit codes: 0 success, also if a signal ended it; 1 failure; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream open trace.pftrace",
            "  ./probestream open incident.avro --once"
        })
public final class OpenCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Serves a trace on loopback for Perfetto's UI, and prints the address.";

    private static final String VIEWER = "https://ui.perfetto.dev";
    private static final int LARGEST_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            hideParamSyntax = true,
            description = "A trace (.pftrace, .json, .json.gz) or a recording (.avro).")
    private Path file = Path.of("");

    @Option(names = "--once", description = "Exit after the trace was loaded once. Default: on Ctrl-C.")
    private boolean isOnce;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Listen on PORT of 127.0.0.1; 0 selects any free port. Default: ${DEFAULT-VALUE}.")
    private int port = TraceServer.PERFETTO_PORT;

    @Override
    public Integer call() throws CommandException, ConversionException, IOException, InterruptedException {
        check();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        if (file.toString().endsWith(".avro")) {
            try (TemporaryFolder folder = TemporaryFolder.create("probestream-open")) {
                Path trace = folder.path().resolve(traceName());
                ConversionOutcome outcome =
                        ConvertCommand.run(List.of(file), List.of(), trace, RecordingRange.ALL, terminal);
                outcome.warnings().forEach(terminal::print);
                serve(trace, terminal);
            }
        } else {
            serve(file, terminal);
        }
        return ExitCode.DONE.value();
    }

    /** {@code incident.pftrace} for {@code incident.avro}. */
    private String traceName() {
        return file.getFileName().toString().replaceFirst("\\.avro$", "") + ".pftrace";
    }

    private void check() throws CommandException {
        if (port < 0 || port > LARGEST_PORT) {
            throw new ParameterException(
                    spec.commandLine(), "--port must be from 0 to " + LARGEST_PORT + ", not " + port);
        }
        if (!Files.exists(file)) {
            throw new CommandException(ExitCode.FAILED, "cannot open " + file + ": the file does not exist");
        }
        if (List.of(".pftrace", ".json", ".json.gz", ".avro").stream().noneMatch(file.toString()::endsWith)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "cannot open " + file + ": it must be a trace (.pftrace, .json or .json.gz) or a recording (.avro)"
                            + (file.toString().endsWith(".html") ? "; open a report directly in the browser" : ""));
        }
        if (!Files.isReadable(file) || !Files.isRegularFile(file)) {
            throw new CommandException(ExitCode.FAILED, "cannot open " + file + ": it is not a readable file");
        }
    }

    private void serve(Path trace, Terminal terminal) throws CommandException, IOException, InterruptedException {
        try (Signals signals = new Signals();
                TraceServer server = TraceServer.start(trace, port, VIEWER)) {
            signals.onFirst(server::end);
            terminal.print(
                    "serving " + trace.getFileName() + " (" + Quantity.bytes(Files.size(trace)) + ") on 127.0.0.1:"
                            + server.port() + (isOnce ? "; exits when the trace is loaded" : "; Ctrl-C ends it"));
            spec.commandLine().getOut().println(server.address());
            spec.commandLine().getOut().flush();
            server.await(isOnce);
        } catch (BindException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot serve " + trace.getFileName() + " on 127.0.0.1:" + port + ": " + e.getMessage()
                            + "; end the process that listens there (another 'open', or trace_processor), or use --port 0",
                    e);
        }
    }
}
