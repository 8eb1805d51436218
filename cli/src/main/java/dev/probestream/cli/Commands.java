package dev.probestream.cli;

import dev.probestream.cli.broker.BrokerCommand;
import dev.probestream.cli.collect.CollectCommand;
import dev.probestream.cli.convert.ConvertCommand;
import dev.probestream.cli.demo.DemoCommand;
import dev.probestream.cli.doctor.DoctorCommand;
import dev.probestream.cli.hist.HistCommand;
import dev.probestream.cli.http.HttpCommand;
import dev.probestream.cli.list.ListCommand;
import dev.probestream.cli.loop.LoopCommand;
import dev.probestream.cli.open.OpenCommand;
import dev.probestream.cli.options.DurationConverter;
import dev.probestream.cli.query.QueryCommand;
import dev.probestream.cli.record.RecordCommand;
import dev.probestream.cli.report.ReportCommand;
import dev.probestream.cli.sink.SinkCommand;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import dev.probestream.cli.trace.TraceCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command line: lists the commands and reports wrong usage. */
@Command(
        name = "probestream",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            DemoCommand.class,
            RecordCommand.class,
            TraceCommand.class,
            HttpCommand.class,
            LoopCommand.class,
            HistCommand.class,
            ConvertCommand.class,
            OpenCommand.class,
            QueryCommand.class,
            ReportCommand.class,
            CollectCommand.class,
            SinkCommand.class,
            BrokerCommand.class,
            ListCommand.class,
            DoctorCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        header = "Traces Node.js processes together with the kernel.",
        description = {
            "",
            "Attaches eBPF probes to running processes, without a restart, a code change or a flag. Records every hit and writes"
                    + " a trace for ui.perfetto.dev or Chrome's trace viewer.",
            ""
        },
        commandListHeading = "Commands:%n",
        footerHeading = "%n",
        footer = {
            "Exit codes: 0 success, 1 failure, 2 wrong usage, 77 not permitted or not supported here.",
            "",
            "Try:",
            "  sudo ./probestream demo        a sample Node server, recorded for 5 s",
            "  sudo ./probestream doctor      checks the kernel and the privileges",
            "  ./probestream COMMAND --help   the manual of a command"
        })
public final class Commands implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = Version.VERBOSE_OPTION,
            description = "With --version: also the build, its commit, the format, the kernel, Java and the C library.")
    private boolean isVerbose;

    /** Runs one command. Each failure ends in a message and an exit code. */
    static int run(String... arguments) {
        Failures failures = new Failures(Path.of(System.getProperty("java.io.tmpdir")));
        CommandLine commandLine = commandLine(failures);
        PrintWriter err = commandLine.getErr();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> Runtime.getRuntime().halt(failures.report(failure, "probestream", err)));
        try {
            return commandLine.execute(arguments);
        } catch (Error e) {
            // picocli handles exceptions only; an Error, such as OutOfMemoryError, needs a message as well.
            return failures.report(e, "probestream", err);
        }
    }

    /** The model of all commands, as their help shows them: man pages and completions are generated from it. */
    public static CommandSpec model() {
        return commandLine(new Failures(Path.of(""))).getCommandSpec();
    }

    static CommandLine commandLine(Failures failures) {
        CommandLine commandLine = new CommandLine(new Commands())
                // Wraps the stream itself: picocli's own writer hides that the reader has closed the pipe.
                .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .registerConverter(Duration.class, new DurationConverter())
                .registerConverter(Path.class, Path::of)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((exception, arguments) -> refuse(exception))
                .setExecutionExceptionHandler(failures);
        // All words from the name of the command to start belong to that command.
        for (String command : List.of("record", "collect", "http", "loop")) {
            Objects.requireNonNull(commandLine.getSubcommands().get(command)).setStopAtPositional(true);
        }
        return commandLine;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "no command given" + (isVerbose ? "; --verbose is for --version" : ""));
    }

    /** Prints what is wrong with the command line and how to show the manual. */
    static int refuse(ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        err.println(name + ": " + exception.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(exception, err);
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE.value();
    }
}
