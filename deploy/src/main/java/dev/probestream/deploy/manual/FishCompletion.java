package dev.probestream.deploy.manual;

import dev.probestream.deploy.manual.CompletedProgram.Command;
import dev.probestream.deploy.manual.CompletedProgram.Option;
import dev.probestream.deploy.manual.CompletedProgram.Positionals;
import dev.probestream.deploy.manual.HelpText.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The completion of fish: a {@code complete} for each command and option (complete(1) of fish). Picocli has none. */
final class FishCompletion {
    private final CompletedProgram program;
    private final String prefix;
    private final StringBuilder lines = new StringBuilder();

    /** The names of functions that print choices, by their bodies. */
    private final Map<String, String> functions = new LinkedHashMap<>();

    private FishCompletion(CompletedProgram program) {
        this.program = program;
        this.prefix = "__fish_" + program.name() + "_";
    }

    static String of(CompletedProgram program) {
        FishCompletion completion = new FishCompletion(program);
        completion.complete();
        return ShellText.filled(
                "fish.txt",
                Map.of(
                        "PROGRAM",
                        program.name(),
                        "FUNCTIONS",
                        completion.functions.entrySet().stream()
                                .map(function -> "function " + function.getValue() + "\n" + function.getKey() + "end\n")
                                .collect(Collectors.joining("\n")),
                        "COMPLETE",
                        completion.lines.toString().strip()));
    }

    private void complete() {
        String noCommand = prefix + "uses ''";
        for (Command command : program.commands()) {
            line(noCommand, " -a " + command.name() + description(command.purpose()));
        }
        program.options().forEach(option -> option(noCommand, option));
        for (Command command : program.commands()) {
            String condition = prefix + "uses " + command.name();
            command.options().forEach(option -> option(condition, option));
            if (command.words().value().kind() != CompletedValue.Kind.NOTHING) {
                line(condition, values(command.words().value()));
            }
        }
        String starting = program.commands().stream()
                .filter(command -> command.words().kind() != Positionals.Kind.VALUES)
                .map(Command::name)
                .collect(Collectors.joining(" "));
        if (!starting.isEmpty()) {
            line(prefix + "starts " + starting, " -a '(" + prefix + "program)'");
        }
    }

    private void option(String condition, Option option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        String values = option.hasValue() ? " -r" + values(option.value()) : "";
        line(condition, names + values + description(option.purpose()));
    }

    private void line(String condition, String rest) {
        lines.append("complete -c ")
                .append(program.name())
                .append(" -n ")
                .append(quoted(condition))
                .append(rest)
                .append('\n');
    }

    private String values(CompletedValue value) {
        return switch (value.kind()) {
            case NOTHING -> " -f";
            case FILE -> " -F";
            case FOLDER -> " -f -a '(__fish_complete_directories (commandline -ct))'";
            case PROCESS_ID -> " -f -a '(" + list(value) + prefix + "pids)'";
            case PROCESS_NAME -> " -f -a '(" + prefix + "process_names)'";
            case CHOICE -> " -f -a '(" + list(value) + choices(value.choices()) + ")'";
        };
    }

    private String list(CompletedValue value) {
        return value.isList() ? prefix + "list " : "";
    }

    /** The name of a function that prints the choices. */
    private String choices(List<Row> choices) {
        StringBuilder body = new StringBuilder();
        for (Row choice : choices) {
            body.append("    printf '%s\\t%s\\n' ")
                    .append(quoted(choice.tag()))
                    .append(' ')
                    .append(quoted(choice.text()))
                    .append('\n');
        }
        int number = functions.size() + 1;
        return functions.computeIfAbsent(body.toString(), unused -> prefix + "choices_" + number);
    }

    private static String description(String text) {
        return " -d " + quoted(text);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
