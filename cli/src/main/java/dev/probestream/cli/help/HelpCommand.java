package dev.probestream.cli.help;

import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code help}: what several commands share. The program answers {@code help COMMAND} as {@code COMMAND --help}. */
@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = HelpCommand.HEADER,
        customSynopsis = "probestream help [TOPIC | COMMAND]",
        description = {
            "",
            "Prints the text of a topic, or the manual of a command. Topics:",
            "  sets    what each probe set records",
            "  specs   how to write a probe with its arguments and filter",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 success, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream help specs",
            "  ./probestream help record"
        })
public final class HelpCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Describes probe sets, probe specs, or a command.";

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TOPIC | COMMAND", description = "The topic, or the name of a command.")
    private String topic = "";

    /** The manual has the texts of all topics. */
    @Spec
    void addTopics(CommandSpec command) {
        UsageMessageSpec usage = command.usageMessage();
        List<String> sections = new ArrayList<>(usage.sectionKeys());
        for (HelpTopic each : HelpTopic.values()) {
            sections.add(sections.indexOf(UsageMessageSpec.SECTION_KEY_FOOTER_HEADING), each.spelling());
            usage.sectionMap().put(each.spelling(), help -> "\n" + each.text());
        }
        usage.sectionKeys(sections);
    }

    @Override
    public Integer call() {
        for (HelpTopic each : HelpTopic.values()) {
            if (each.spelling().equals(topic)) {
                PrintWriter out = spec.commandLine().getOut();
                out.print(each.text());
                out.flush();
                return ExitCode.DONE.value();
            }
        }
        throw new ParameterException(
                spec.commandLine(),
                "there is no topic or command '" + topic + "'; the topics are sets and specs,"
                        + " 'probestream --help' lists the commands");
    }
}
