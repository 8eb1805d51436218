package dev.probestream.deploy.manual;

import dev.probestream.deploy.manual.CompletedProgram.Command;
import dev.probestream.deploy.manual.CompletedProgram.Option;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The completion of zsh: specifications for {@code _arguments} (zshcompsys(1)). What {@code picocli.AutoComplete} has for zsh is its
 * completion of bash, see {@link BashCompletion}, without a word on what an option does.
 */
final class ZshCompletion {
    private static final String INDENTATION = "    ";

    private final CompletedProgram program;

    private ZshCompletion(CompletedProgram program) {
        this.program = program;
    }

    static String of(CompletedProgram program) {
        ZshCompletion completion = new ZshCompletion(program);
        String options = program.options().stream()
                .map(option -> INDENTATION + completion.option(option) + " \\")
                .collect(Collectors.joining("\n"));
        String commands = program.commands().stream()
                .map(command -> INDENTATION + ShellText.quoted(described(command.name(), command.purpose())))
                .collect(Collectors.joining("\n"));
        String arguments =
                program.commands().stream().map(completion::arguments).collect(Collectors.joining("\n"));
        return ShellText.filled(
                "zsh.txt",
                Map.of("PROGRAM", program.name(), "OPTIONS", options, "COMMANDS", commands, "ARGUMENTS", arguments));
    }

    private String arguments(Command command) {
        StringBuilder text = new StringBuilder(INDENTATION + command.name() + ")\n      _arguments -s -S \\\n");
        for (Option option : command.options()) {
            text.append("        ").append(option(option)).append(" \\\n");
        }
        String positionals = switch (command.words().kind()) {
            case VALUES -> values(command.words().value());
            case PROGRAM -> "'(-):program: _command_names -e' '*:: : _normal'";
            case VALUES_THEN_PROGRAM -> "'*:probe: _" + program.name() + "_behind_dashes probe'";
        };
        return text.append("        ").append(positionals).append("\n      ;;").toString();
    }

    private String values(CompletedValue value) {
        return value.kind() == CompletedValue.Kind.NOTHING
                ? "'*: : '"
                : ShellText.quoted("*: :" + action(value, "argument"));
    }

    /** The option with its names in braces, of which zsh makes one specification each. */
    private String option(Option option) {
        List<String> names = option.names();
        String excluded = option.isRepeatable() ? "*" : "(" + String.join(" ", names) + ")";
        String explanation = "[" + bracketed(option.purpose()) + "]";
        String specification = explanation;
        if (option.hasValue()) {
            String label = colons(option.label().replaceAll("[^A-Za-z_|/:.]", ""));
            specification += ":" + label + ":" + action(option.value(), label);
        }
        if (names.size() == 1) {
            return ShellText.quoted((option.isRepeatable() ? "*" : "")
                    + names.get(0)
                    + valueMark(names.get(0), option)
                    + specification);
        }
        String braces =
                names.stream().map(name -> name + valueMark(name, option)).collect(Collectors.joining(","));
        return ShellText.quoted(excluded) + "{" + braces + "}" + ShellText.quoted(specification);
    }

    /** + after a short name: the value may follow in the same word; = after a long one: or behind '='. */
    private static String valueMark(String name, Option option) {
        if (!option.hasValue()) {
            return "";
        }
        return name.startsWith("--") ? "=" : "+";
    }

    private String action(CompletedValue value, String label) {
        return switch (value.kind()) {
            case NOTHING -> " ";
            case FILE -> "_files";
            case FOLDER -> "_files -/";
            case PROCESS_ID -> value.isList() ? "_sequence " + function("pids") : function("pids");
            case PROCESS_NAME -> function("process_names");
            case CHOICE ->
                value.isList() ? "_values -s , " + quotedLabel(label) + choices(value) : "((" + pairs(value) + "))";
        };
    }

    private String function(String name) {
        return "_" + program.name() + "_" + name;
    }

    private static String quotedLabel(String label) {
        return "\"" + label + "\"";
    }

    private static String choices(CompletedValue value) {
        return value.choices().stream()
                .map(choice -> " \"" + choice.tag() + "[" + doubleQuoted(colons(bracketed(choice.text()))) + "]\"")
                .collect(Collectors.joining());
    }

    private static String pairs(CompletedValue value) {
        return value.choices().stream()
                .map(choice -> choice.tag() + "\\:\"" + doubleQuoted(colons(choice.text())) + "\"")
                .collect(Collectors.joining(" "));
    }

    private static String described(String name, String text) {
        return colons(name) + ":" + text;
    }

    private static String bracketed(String text) {
        return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]");
    }

    private static String colons(String text) {
        return text.replace(":", "\\:");
    }

    private static String doubleQuoted(String text) {
        return text.replaceAll("[\"$`]", "\\\\$0");
    }
}
