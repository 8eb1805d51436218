package dev.probestream.cli.incidents;

import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.convert.ConversionException;
import dev.probestream.query.QueryException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code incidents}: takes and lists what {@code watch} has kept. */
@Command(
        name = "incidents",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = IncidentsCommand.HEADER,
        customSynopsis = {
            "probestream incidents take DIR [-n NAME] [--before TIME]",
            "       probestream incidents list DIR [--json]",
        },
        description = {
            "",
            "'take' makes an incident of the last recordings that 'watch -o DIR' has kept, while that runs or after it has"
                    + " ended: the folder DIR/TIME-NAME with recording.avro, report.html, trace.pftrace and incident.json."
                    + " It is not deleted by 'watch'.",
            "",
            "'list' prints the incidents in DIR, the oldest first, each with its first finding.",
            ""
        },
        footer = {
            "",
            "--json: an array of what the files incident.json contain: id, name, takenAt, from, to, host, events, bytes,"
                    + " findings, program.",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream incidents take incidents/ -n 'support case 4711' --before 5m",
            "  ./probestream incidents list incidents/"
        })
public final class IncidentsCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Takes what 'watch' has kept as an incident; lists incidents.";

    /** What is to be done. */
    enum Action {
        TAKE,
        LIST
    }

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "take|list", hideParamSyntax = true, description = "What to do.")
    private Action action = Action.LIST;

    @Parameters(
            index = "1",
            paramLabel = "DIR",
            hideParamSyntax = true,
            description = "The folder that 'watch' writes.")
    private Path folder = Path.of("");

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "What the incident is called, in words. Default: none.")
    private String name = "";

    @Option(
            names = "--before",
            paramLabel = "TIME",
            description = "Take at least the last TIME, such as 30s or 5m. Default: 1m.")
    private Duration before = Duration.ofMinutes(1);

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws CommandException, IOException, ConversionException, QueryException {
        if (!Files.isDirectory(folder)) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "cannot read " + folder + ": it is no folder; name the one that 'watch -o' was given");
        }
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        if (action == Action.TAKE) {
            Incident incident = new TakenIncident(folder, name, before, terminal).take();
            print(List.of(incident), spec.commandLine().getOut());
            terminal.print("wrote " + folder.resolve(incident.id()) + " (" + Quantity.bytes(incident.bytes())
                    + " of recording, its report and a trace)");
        } else {
            print(IncidentFolder.incidents(folder), spec.commandLine().getOut());
        }
        return ExitCode.DONE.value();
    }

    private void print(List<Incident> incidents, PrintWriter out) throws IOException {
        if (json.isJson()) {
            out.println(IncidentFolder.json(incidents));
        } else {
            for (Incident incident : incidents) {
                out.println(incident.id() + "  " + first(incident));
            }
        }
        out.flush();
    }

    private static String first(Incident incident) {
        return incident.findings().isEmpty()
                ? "nothing stands out"
                : incident.findings().get(0).severity() + "  "
                        + incident.findings().get(0).title();
    }
}
