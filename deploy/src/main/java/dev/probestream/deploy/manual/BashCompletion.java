package dev.probestream.deploy.manual;

import dev.probestream.deploy.manual.CompletedProgram.Command;
import dev.probestream.deploy.manual.CompletedProgram.Option;
import dev.probestream.deploy.manual.CompletedProgram.Positionals;
import dev.probestream.deploy.manual.HelpText.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The completion of bash. That of {@code picocli.AutoComplete} 4.7 is not used: it completes no value behind {@code =}, no
 * lists, processes, built-in queries nor kinds of sinks, offers enum constants as Java spells them, and our own options
 * behind the program that a command starts; and it is three times as long.
 */
final class BashCompletion {
    private final CompletedProgram program;

    private BashCompletion(CompletedProgram program) {
        this.program = program;
    }

    static String of(CompletedProgram program) {
        BashCompletion completion = new BashCompletion(program);
        return ShellText.filled(
                "bash.txt",
                Map.of("PROGRAM", program.name(), "COMMANDS", completion.commands(), "VALUES", completion.values()));
    }

    private String commands() {
        StringBuilder cases = new StringBuilder(command("''", program.options(), "values"));
        for (Command command : program.commands()) {
            cases.append('\n')
                    .append(command(
                            command.name(),
                            command.options(),
                            word(command.words().kind())));
        }
        return cases.toString();
    }

    private static String word(Positionals.Kind kind) {
        return switch (kind) {
            case VALUES -> "values";
            case PROGRAM -> "program";
            case VALUES_THEN_PROGRAM -> "both";
        };
    }

    private static String command(String name, List<Option> options, String positional) {
        String all = names(options);
        String valued = names(options.stream().filter(Option::hasValue).toList());
        return "    " + name + ")\n      options='" + all + "'\n      valued=' " + valued + " ' positional="
                + positional + "\n      ;;";
    }

    private static String names(List<Option> options) {
        return options.stream().flatMap(option -> option.names().stream()).collect(Collectors.joining(" "));
    }

    /** A case for each way to complete, with all options that are completed so. */
    private String values() {
        Map<String, List<String>> patterns = new LinkedHashMap<>();
        String commands = program.commands().stream().map(Command::name).collect(Collectors.joining(" "));
        put(patterns, reply("reply", commands), "':'");
        for (Command command : program.commands()) {
            for (Option option : command.options()) {
                for (String name : option.names()) {
                    put(patterns, function(option.value()), command.name() + ":" + name);
                }
            }
            put(patterns, function(command.words().value()), command.name() + ":");
        }
        patterns.remove("");
        return patterns.entrySet().stream()
                .map(way -> "    " + String.join(" | ", way.getValue()) + ")\n      " + way.getKey() + "\n      ;;")
                .collect(Collectors.joining("\n"));
    }

    private static void put(Map<String, List<String>> patterns, String way, String pattern) {
        patterns.computeIfAbsent(way, unused -> new ArrayList<>()).add(pattern);
    }

    private String function(CompletedValue value) {
        String words = value.choices().stream().map(Row::tag).collect(Collectors.joining(" "));
        return switch (value.kind()) {
            case NOTHING -> "";
            case FILE -> reply("files", "");
            case FOLDER -> reply("folders", "");
            case PROCESS_ID -> reply("pids", "");
            case PROCESS_NAME -> reply("process_names", "");
            case CHOICE -> reply(value.isList() ? "list" : "reply", words);
        };
    }

    private String reply(String function, String words) {
        return ("_" + program.name() + "_" + function + " " + words).strip();
    }
}
