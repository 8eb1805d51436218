package dev.probestream.deploy.manual;

import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.deploy.manual.HelpText.Row;
import dev.probestream.query.builtin.BuiltInQueries;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What a shell can offer for a value.
 *
 * @param isList whether it is a list of such, separated by commas
 * @param choices the words to choose from, with one line on each
 */
record CompletedValue(Kind kind, boolean isList, List<Row> choices) {
    enum Kind {
        NOTHING,
        FILE,
        FOLDER,
        PROCESS_ID,
        PROCESS_NAME,
        CHOICE
    }

    static final CompletedValue NOTHING = new CompletedValue(Kind.NOTHING, false, List.of());

    CompletedValue {
        choices = List.copyOf(choices);
    }

    static CompletedValue of(ArgSpec argument) {
        if (argument instanceof OptionSpec option) {
            switch (option.longestName()) {
                case "--probes" -> {
                    return new CompletedValue(Kind.CHOICE, true, probeSets());
                }
                case "--view" -> {
                    return new CompletedValue(Kind.CHOICE, false, builtInQueries());
                }
                case "--comm" -> {
                    return new CompletedValue(Kind.PROCESS_NAME, false, List.of());
                }
                default -> {}
            }
        }
        Class<?> type = argument.isMultiValue() ? argument.auxiliaryTypes()[0] : argument.type();
        if (type.isEnum()) {
            return new CompletedValue(Kind.CHOICE, false, constants(type, argument));
        }
        Kind kind = byLabel(argument.paramLabel(), type);
        // The processes of a recording have ended, often on another machine.
        boolean isRecorded =
                kind == Kind.PROCESS_ID && argument.command().name().equals("convert");
        return isRecorded
                ? NOTHING
                : new CompletedValue(kind, !argument.splitRegex().isEmpty(), List.of());
    }

    private static Kind byLabel(String label, Class<?> type) {
        if (label.equals("PID")) {
            return Kind.PROCESS_ID;
        }
        if (label.equals("DIR") || label.equals("FOLDER")) {
            return Kind.FOLDER;
        }
        boolean isPath = type == Path.class || type == File.class || label.matches(".*\\b(FILE|PATH|DIR)\\b.*");
        return isPath ? Kind.FILE : Kind.NOTHING;
    }

    private static List<Row> probeSets() {
        return Stream.concat(ProbeSet.descriptions().stream(), ProbeSet.groups().stream())
                .map(set -> new Row(set.name(), HelpText.summary(set.description())))
                .toList();
    }

    private static List<Row> builtInQueries() {
        return BuiltInQueries.load().all().stream()
                .map(query -> new Row(query.name(), HelpText.summary(query.title())))
                .toList();
    }

    /** The constants as they are typed, with the text about each in the argument's description. */
    private static List<Row> constants(Class<?> type, ArgSpec argument) {
        Map<String, String> described = HelpText.description(HelpText.lines(argument.description())).stream()
                .flatMap(block -> block.rows().stream())
                .collect(Collectors.toMap(Row::tag, Row::text));
        List<Row> constants = new ArrayList<>();
        for (Object constant : Arrays.asList(type.getEnumConstants())) {
            String word = ((Enum<?>) constant).name().toLowerCase(Locale.ROOT);
            constants.add(new Row(word, HelpText.summary(described.getOrDefault(word, ""))));
        }
        return constants;
    }
}
