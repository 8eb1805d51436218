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

/** {@code open}: a trace where Perfetto's UI can read it. */
@Command(
        name = "open",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream open FILE [--once] [--port PORT]",
        sortOptions = false,
        header = "Serves a trace on loopback, for Perfetto's UI, and says the address.",
        description = {
            "",
            "Open the address that is printed in a browser of this machine: ui.perfetto.dev loads the trace from here, and"
                    + " it stays in the browser. Nothing but this file is served, to nothing but ui.perfetto.dev. An .avro"
                    + " recording is converted first, into a temporary file.",
            ""
        },
        footer = {
            "",
            "Perfetto's UI reads from port " + TraceServer.PERFETTO_PORT
                    + " of loopback only. From another port a page of"
                    + " ours hands the trace over, at a click. A browser may ask whether ui.perfetto.dev may reach this"
                    + " machine: allow it.",
            "",
            "On a server, without a browser: 'ssh -L " + TraceServer.PERFETTO_PORT + ":127.0.0.1:"
                    + TraceServer.PERFETTO_PORT + " SERVER' from where the browser is, and the same address.",
            "",
            "Exit codes: 0 done, also when a signal ended it; 1 failed; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream open trace.pftrace",
            "  ./probestream open incident.avro --once"
        })
public final class OpenCommand implements Callable<Integer> {
    private static final String VIEWER = "https://ui.perfetto.dev";
    private static final int LARGEST_PORT = 65_535;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            hideParamSyntax = true,
            description = "A trace (.pftrace, .json, .json.gz) or a recording (.avro).")
    private Path file = Path.of("");

    @Option(names = "--once", description = "End when the trace was loaded once. Otherwise Ctrl-C ends it.")
    private boolean isOnce;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Listen on PORT of 127.0.0.1; 0 = any that is free. Default: ${DEFAULT-VALUE}.")
    private int port = TraceServer.PERFETTO_PORT;

    @Override
    public Integer call() throws CommandException, ConversionException, IOException, InterruptedException {
        check();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        if (file.toString().endsWith(".avro")) {
            try (TemporaryTrace converted = TemporaryTrace.of(file)) {
                ConversionOutcome outcome =
                        ConvertCommand.run(List.of(file), List.of(), converted.path(), RecordingRange.ALL, terminal);
                outcome.warnings().forEach(terminal::say);
                serve(converted.path(), terminal);
            }
        } else {
            serve(file, terminal);
        }
        return ExitCode.DONE.value();
    }

    private void check() throws CommandException {
        if (port < 0 || port > LARGEST_PORT) {
            throw new ParameterException(
                    spec.commandLine(), "--port must be from 0 to " + LARGEST_PORT + ", not " + port);
        }
        if (!Files.exists(file)) {
            throw new CommandException(ExitCode.FAILED, "cannot open " + file + ": there is no such file");
        }
        if (List.of(".pftrace", ".json", ".json.gz", ".avro").stream().noneMatch(file.toString()::endsWith)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "cannot open " + file + ": it must be a trace (.pftrace, .json or .json.gz) or a recording (.avro)"
                            + (file.toString().endsWith(".html") ? "; open a report in the browser itself" : ""));
        }
        if (!Files.isReadable(file) || !Files.isRegularFile(file)) {
            throw new CommandException(ExitCode.FAILED, "cannot open " + file + ": it is not a file that can be read");
        }
    }

    private void serve(Path trace, Terminal terminal) throws CommandException, IOException, InterruptedException {
        try (Signals signals = new Signals();
                TraceServer server = TraceServer.start(trace, port, VIEWER)) {
            signals.onFirst(server::end);
            terminal.say("serving " + trace.getFileName() + " (" + Quantity.bytes(Files.size(trace)) + ") on 127.0.0.1:"
                    + server.port() + (isOnce ? "; it ends when the trace is loaded" : "; Ctrl-C ends it"));
            spec.commandLine().getOut().println(server.address());
            spec.commandLine().getOut().flush();
            server.await(isOnce);
        } catch (BindException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot serve " + trace.getFileName() + " on 127.0.0.1:" + port + ": " + e.getMessage()
                            + "; end what listens there (another 'open', or trace_processor), or take --port 0",
                    e);
        }
    }
}
