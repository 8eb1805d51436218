package dev.probestream.deploy.manual;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What a shell completes: the commands of a program, their options and their values.
 *
 * @param name of the program
 * @param options of the program without a command
 */
record CompletedProgram(String name, List<Option> options, List<Command> commands) {
    CompletedProgram {
        options = List.copyOf(options);
        commands = List.copyOf(commands);
    }

    /**
     * A command.
     *
     * @param purpose one line
     * @param words what its positional arguments are
     */
    record Command(String name, String purpose, List<Option> options, Positionals words) {
        Command {
            options = List.copyOf(options);
        }
    }

    /** What the words of a command are that belong to no option. */
    record Positionals(Kind kind, CompletedValue value) {
        enum Kind {
            /** There are none, or they have the value. */
            VALUES,
            /** They have the value; words behind {@code --} are a program and its arguments. */
            VALUES_THEN_PROGRAM,
            /** The first of them starts a program and its arguments. */
            PROGRAM
        }
    }

    /**
     * An option.
     *
     * @param names as typed
     * @param label of its value; empty if it has none
     */
    record Option(List<String> names, String purpose, boolean isRepeatable, String label, CompletedValue value) {
        Option {
            names = List.copyOf(names);
        }

        boolean hasValue() {
            return !label.isEmpty();
        }
    }

    static CompletedProgram of(CommandSpec program) {
        return new CompletedProgram(
                program.name(),
                options(program),
                program.subcommands().values().stream()
                        .map(CommandLine::getCommandSpec)
                        .map(CompletedProgram::command)
                        .toList());
    }

    private static Command command(CommandSpec spec) {
        String purpose = HelpText.summary(
                String.join(" ", HelpText.lines(spec.usageMessage().header())));
        return new Command(spec.name(), purpose, options(spec), positionals(spec));
    }

    private static Positionals positionals(CommandSpec spec) {
        List<PositionalParamSpec> arguments = spec.positionalParameters();
        if (arguments.isEmpty()) {
            return new Positionals(Positionals.Kind.VALUES, CompletedValue.NOTHING);
        }
        if (arguments.stream().noneMatch(argument -> argument.paramLabel().startsWith("--"))) {
            return new Positionals(Positionals.Kind.VALUES, CompletedValue.of(arguments.get(0)));
        }
        Positionals.Kind kind = spec.commandLine().isStopAtPositional()
                ? Positionals.Kind.PROGRAM
                : Positionals.Kind.VALUES_THEN_PROGRAM;
        return new Positionals(kind, CompletedValue.NOTHING);
    }

    private static List<Option> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .map(CompletedProgram::option)
                .toList();
    }

    private static Option option(OptionSpec option) {
        boolean hasValue = option.arity().max() > 0;
        return new Option(
                Arrays.asList(option.names()),
                HelpText.summary(String.join(" ", HelpText.lines(option.description()))),
                option.isMultiValue(),
                hasValue ? option.paramLabel() : "",
                hasValue ? CompletedValue.of(option) : CompletedValue.NOTHING);
    }
}
