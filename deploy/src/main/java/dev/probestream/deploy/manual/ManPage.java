package dev.probestream.deploy.manual;

import dev.probestream.deploy.manual.HelpText.Block;
import dev.probestream.deploy.manual.HelpText.Row;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The page of a command in section 1: what {@code --help} shows, laid out as man-pages(7) asks for. The generator of
 * picocli-codegen is not used: it writes AsciiDoc, of which Asciidoctor (Ruby, or JRuby in a build by Maven) would have to
 * make a page, and leaves the lists, examples and links in our texts as they are.
 */
final class ManPage {
    private final CommandSpec command;
    private final Markup markup;
    private final Roff page = new Roff();

    /**
     * @param version of the program, for the foot of the page
     * @param date of the build
     */
    ManPage(CommandSpec command, String version, LocalDate date) {
        this.command = command;
        this.markup = new Markup(command);
        String program = command.root().name();
        page.title(name(command), date.toString(), program + " " + version, "User commands");
    }

    private static String name(CommandSpec command) {
        return command.qualifiedName("-");
    }

    String text() {
        UsageMessageSpec usage = command.usageMessage();
        page.section("NAME");
        page.words(Roff.escape(name(command)) + " \\- " + markup.prose(purpose(command)));
        page.section("SYNOPSIS");
        synopsis();
        page.section("DESCRIPTION");
        chunks(HelpText.chunks(HelpText.lines(usage.description())));
        commands();
        options();
        arguments();
        footer(HelpText.lines(usage.footer()));
        seeAlso();
        return page.toString();
    }

    /** The header, as a phrase. */
    private static String purpose(CommandSpec command) {
        String header = String.join(" ", HelpText.lines(command.usageMessage().header()))
                .strip();
        return header.substring(0, 1).toLowerCase(Locale.ROOT)
                + header.substring(1).replaceAll("\\.$", "");
    }

    private void synopsis() {
        String called = command.qualifiedName();
        String all = HelpText.lines(new Help(command, Help.Ansi.OFF).synopsis(0)).stream()
                .map(String::strip)
                .collect(Collectors.joining(" "));
        for (String one : all.split("(^|\\s+)" + called + "(?=\\s|$)")) {
            if (!one.isBlank()) {
                page.macro("SY", called);
                page.words(Markup.label(Markup.installed(one.strip()).replaceAll("(--?[a-z-]+)=", "$1 ")));
                page.macro("YS");
            }
        }
        // YS switches both on again.
        page.unjustified();
    }

    private void commands() {
        if (command.subcommands().isEmpty()) {
            return;
        }
        page.section("COMMANDS");
        for (CommandLine subcommand : command.subcommands().values()) {
            CommandSpec spec = subcommand.getCommandSpec();
            String header = String.join(" ", HelpText.lines(spec.usageMessage().header()));
            item(reference(name(spec)), List.of(paragraph(header)));
        }
    }

    private void options() {
        page.section("OPTIONS");
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                String names = Arrays.stream(option.names()).map(Roff::bold).collect(Collectors.joining(", "));
                String label = option.arity().max() == 0 ? "" : " " + Markup.label(option.paramLabel());
                item(names + label, description(option));
            }
        }
    }

    private void arguments() {
        List<PositionalParamSpec> arguments = command.positionalParameters();
        if (arguments.isEmpty()) {
            return;
        }
        page.section("ARGUMENTS");
        for (PositionalParamSpec argument : arguments) {
            item(Markup.label(argument.paramLabel()), description(argument));
        }
    }

    private static List<Block> description(ArgSpec argument) {
        return HelpText.description(HelpText.lines(argument.description()));
    }

    private void footer(List<String> lines) {
        List<String> all = new ArrayList<>(ownSections());
        all.addAll(lines);
        for (Map.Entry<FooterSection, List<List<String>>> section :
                FooterSection.of(all).entrySet()) {
            page.section(section.getKey().title());
            List<List<String>> chunks = section.getValue();
            switch (section.getKey()) {
                case EXIT_STATUS -> chunks.forEach(this::exitStatus);
                case EXAMPLES -> chunks.forEach(chunk -> examples(chunk.subList(1, chunk.size())));
                case PROBE_SETS, PROBE_SPECS, OUTPUT, JSON_OUTPUT, NOTES, ENVIRONMENT -> {
                    List<String> first = chunks.get(0);
                    if (section.getKey().isTitle(first.get(0))) {
                        chunks.set(0, first.subList(1, first.size()));
                    }
                    chunks(chunks);
                }
            }
        }
    }

    /** What a command adds to its help beyond picocli's sections, such as the list of probe sets. */
    private List<String> ownSections() {
        UsageMessageSpec usage = command.usageMessage();
        Help help = new Help(command, Help.Ansi.OFF);
        List<String> standard = new UsageMessageSpec().sectionKeys();
        List<String> lines = new ArrayList<>();
        usage.sectionKeys().stream()
                .filter(key -> !standard.contains(key))
                .map(key -> usage.sectionMap().get(key))
                .forEach(section -> lines.addAll(List.of(section.render(help).split("\n"))));
        lines.add("");
        return lines;
    }

    /** {@code Exit codes: 0 success, 1 failure}, as a list. */
    private void exitStatus(List<String> chunk) {
        String codes = String.join(" ", chunk).replaceFirst("Exit codes: ", "").replaceFirst("\\.$", "");
        for (String code : codes.split("[,;] (?=\\d+ )")) {
            String[] numberAndMeaning = code.split(" ", 2);
            String meaning = numberAndMeaning[1];
            item(
                    Roff.bold(numberAndMeaning[0]),
                    List.of(paragraph(meaning.substring(0, 1).toUpperCase(Locale.ROOT) + meaning.substring(1) + ".")));
        }
    }

    private void examples(List<String> lines) {
        List<Block> rows = HelpText.blocks(lines);
        boolean hasComments = lines.stream().anyMatch(line -> line.contains("#"));
        if (hasComments) {
            block(HelpText.code(lines), false);
        } else {
            rows.forEach(row -> block(row, false));
        }
    }

    private void seeAlso() {
        page.section("SEE ALSO");
        CommandSpec program = command.root();
        TreeSet<String> others = new TreeSet<>();
        others.add(program.name());
        program.subcommands().values().forEach(other -> others.add(name(other.getCommandSpec())));
        others.remove(name(command));
        page.text(others.stream().map(ManPage::reference).collect(Collectors.joining(", ")));
    }

    private static String reference(String name) {
        return Roff.bold(name) + "(1)";
    }

    private void chunks(List<List<String>> chunks) {
        boolean isFirst = true;
        for (List<String> chunk : chunks) {
            for (Block block : HelpText.blocks(chunk)) {
                block(block, !isFirst);
                isFirst = false;
            }
        }
    }

    /** @param separated whether the block starts a paragraph */
    private void block(Block block, boolean separated) {
        switch (block.kind()) {
            case PARAGRAPH -> {
                if (separated) {
                    page.macro("PP");
                }
                page.text(markup.prose(block.lines().get(0)));
            }
            case ROWS -> {
                for (Row row : block.rows()) {
                    item(Roff.bold(Markup.installed(row.tag())), List.of(paragraph(row.text())));
                }
            }
            case CODE -> {
                if (separated) {
                    page.macro("PP");
                }
                page.macro("RS", "4").macro("nf");
                block.lines().forEach(line -> page.line(Roff.escape(Markup.installed(line))));
                page.macro("fi").macro("RE");
            }
        }
    }

    private static Block paragraph(String text) {
        return new Block(HelpText.Kind.PARAGRAPH, List.of(text), List.of());
    }

    /** An item of a list; rows in its text are a list inside. */
    private void item(String tag, List<Block> text) {
        page.macro("TP").line(tag);
        boolean isFirst = true;
        for (Block block : text) {
            if (block.kind() == HelpText.Kind.ROWS) {
                page.macro("RS");
                block(block, false);
                page.macro("RE");
            } else {
                if (!isFirst) {
                    page.macro("IP");
                }
                block(block, false);
            }
            isFirst = false;
        }
    }
}
