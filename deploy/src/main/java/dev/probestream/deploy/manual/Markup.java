package dev.probestream.deploy.manual;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Marks up the texts of one command: its options are bold, what stands for a value is italic, manuals become references. */
final class Markup {
    private static final Pattern LABEL = Pattern.compile("[A-Z][A-Z_]*");

    private final CommandSpec program;
    private final Pattern marked;

    Markup(CommandSpec command) {
        program = command.root();
        Set<String> labels = new TreeSet<>();
        for (ArgSpec argument : command.args()) {
            Matcher label = LABEL.matcher(argument.paramLabel());
            while (label.find()) {
                labels.add(label.group());
            }
        }
        String words = labels.stream().collect(Collectors.joining("|"));
        marked = Pattern.compile("'(?<manual>[a-z]+) --help'|'(?<topic>help) [a-z]+'"
                + "|(?<![\\w.-])(?<option>--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\\w-])"
                + (words.isEmpty() ? "|(?<label>(?!))" : "|(?<![\\w/.*-])(?<label>" + words + ")(?![\\w*])"));
    }

    /** A text of the help. */
    String prose(String text) {
        String installed = installed(text);
        StringBuilder result = new StringBuilder();
        Matcher matcher = marked.matcher(installed);
        int from = 0;
        while (matcher.find()) {
            result.append(words(installed.substring(from, matcher.start())));
            result.append(marked(matcher));
            from = matcher.end();
        }
        return result.append(words(installed.substring(from))).toString();
    }

    private String marked(Matcher matcher) {
        if (matcher.group("option") != null) {
            return Roff.bold(matcher.group("option"));
        }
        if (matcher.group("label") != null) {
            return Roff.italic(matcher.group("label"));
        }
        String command = matcher.group("manual") == null ? matcher.group("topic") : matcher.group("manual");
        return program.subcommands().containsKey(command)
                ? Roff.bold(program.name() + "-" + command) + "(1)"
                : Roff.escape(matcher.group());
    }

    /** Between letters, ' is an apostrophe; elsewhere it quotes what is typed. */
    private static String words(String text) {
        return Roff.escape(text).replaceAll("(?<=[A-Za-z])\\\\\\(aq(?=[a-z])", "'");
    }

    /** A label as --help shows it: FILE|DIR/, -- CMD... */
    static String label(String label) {
        StringBuilder result = new StringBuilder();
        Matcher matcher = Pattern.compile("[A-Z][A-Za-z_]*(\\.(?!\\.)[a-z]+)?").matcher(label);
        int from = 0;
        while (matcher.find()) {
            result.append(fixed(label.substring(from, matcher.start())));
            result.append(Roff.italic(matcher.group()));
            from = matcher.end();
        }
        return result.append(fixed(label.substring(from))).toString();
    }

    /** What stands between labels: options are bold, brackets and dots are not. */
    private static String fixed(String text) {
        StringBuilder result = new StringBuilder();
        Matcher matcher =
                Pattern.compile("(?<![\\w-])(--[a-z0-9-]*|-[a-zA-Z]+|[a-z]+)").matcher(text);
        int from = 0;
        while (matcher.find()) {
            result.append(Roff.escape(text.substring(from, matcher.start())));
            result.append(Roff.bold(matcher.group()));
            from = matcher.end();
        }
        return result.append(Roff.escape(text.substring(from))).toString();
    }

    /** Installed, the program is in PATH. */
    static String installed(String text) {
        return text.replace("./probestream", "probestream");
    }
}
