package dev.probestream.cli;

import dev.probestream.cli.options.DurationConverter;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
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
        synopsisSubcommandLabel = "COMMAND",
        header = RootHelp.HEADER,
        description = {"", RootHelp.DESCRIPTION, ""},
        commandListHeading = "Commands:%n",
        footerHeading = "%n",
        footer = {RootHelp.EXIT_CODES, "", RootHelp.TRY, RootHelp.TRY_DEMO, RootHelp.TRY_DOCTOR, RootHelp.TRY_HELP})
public final class Commands implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = Version.VERBOSE_OPTION, description = RootHelp.VERBOSE)
    private boolean isVerbose;

    /** Runs one command. Each failure ends in a message and an exit code. */
    static int run(String... arguments) {
        Preparation preparation = Preparation.of(arguments);
        Failures failures = new Failures(Path.of(System.getProperty("java.io.tmpdir")));
        CommandLine commandLine = commandLine(failures, arguments).setExecutionStrategy(parsed -> {
            preparation.await();
            return new CommandLine.RunLast().execute(parsed);
        });
        PrintWriter err = commandLine.getErr();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> Runtime.getRuntime().halt(failures.report(failure, "probestream", err)));
        try {
            int exitCode = commandLine.execute(arguments);
            preparation.await(); // also after wrong usage: a library that is being loaded leaves no temporary file
            return exitCode;
        } catch (Error e) {
            // picocli handles exceptions only; an Error, such as OutOfMemoryError, needs a message as well.
            return failures.report(e, "probestream", err);
        }
    }

    /** The model of all commands, as their help shows them: man pages and completions are generated from it. */
    public static CommandSpec model() {
        return commandLine(new Failures(Path.of(""))).getCommandSpec();
    }

    /** The command line with all commands. */
    static CommandLine commandLine(Failures failures) {
        return commandLine(failures, List.of(CommandName.values()), name -> true);
    }

    /** The command line for {@code arguments}: only the command that they name has its options. */
    static CommandLine commandLine(Failures failures, String... arguments) {
        List<CommandName> all = List.of(CommandName.values());
        for (String argument : arguments) {
            if (argument.startsWith("@")) {
                return commandLine(failures); // a file of arguments, which may name the command
            }
            if (!argument.startsWith("-")) {
                List<CommandName> asked = all.stream()
                        .filter(name -> name.spelling().equals(argument))
                        .toList();
                // Behind an option of the root, such as --help, a command's name has no effect: the root acts.
                boolean isFirst = argument.equals(arguments[0]) && !asked.isEmpty();
                return commandLine(failures, isFirst ? asked : all, asked::contains);
            }
        }
        return commandLine(failures, all, name -> false);
    }

    private static CommandLine commandLine(
            Failures failures, List<CommandName> names, Predicate<CommandName> hasOptions) {
        CommandLine commandLine = new CommandLine(new Commands());
        for (CommandName name : names) {
            commandLine.addSubcommand(
                    name.spelling(), hasOptions.test(name) ? new CommandLine(name.type()) : nameAndHeader(name));
        }
        // Of what follows, a command line passes on to the commands that it has.
        commandLine
                // Wraps the stream itself: picocli's own writer hides that the reader has closed the pipe.
                .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .registerConverter(Duration.class, new DurationConverter())
                .registerConverter(Path.class, Path::of)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(Commands::refuse)
                .setExecutionExceptionHandler(failures);
        // All words from the name of the command to start belong to that command.
        for (String command : List.of("record", "watch", "collect", "http", "loop")) {
            CommandLine starting = commandLine.getSubcommands().get(command);
            if (starting != null) {
                starting.setStopAtPositional(true);
            }
        }
        return commandLine;
    }

    /** What the help of the root shows of a command. */
    private static CommandSpec nameAndHeader(CommandName name) {
        CommandSpec command = CommandSpec.create().name(name.spelling());
        command.usageMessage().header(name.header());
        return command;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "no command given" + (isVerbose ? "; --verbose is for --version" : ""));
    }

    /** An option that does not exist is the reason, also if picocli misses another one first. */
    private static int refuse(ParameterException exception, String... arguments) {
        CommandLine command = exception.getCommandLine();
        if (exception instanceof CommandLine.MissingParameterException) {
            for (String argument : arguments) {
                String name = argument.replaceFirst("=.*", "");
                if (argument.equals("--")) {
                    break;
                }
                if (name.startsWith("--") && command.getCommandSpec().findOption(name) == null) {
                    return refuse(
                            new CommandLine.UnmatchedArgumentException(command, "Unknown option: '" + name + "'"));
                }
            }
        }
        return refuse(exception);
    }

    /** Prints what is wrong with the command line and how to show the manual. */
    static int refuse(ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        err.println(name + ": " + exception.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(exception, err);
        boolean isDuration = String.valueOf(exception.getMessage()).contains("'--duration");
        if (isDuration && command.getCommandSpec().findOption("--for") != null) {
            err.println("Use --for TIME, such as --for 10s.");
        }
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE.value();
    }
}
