package dev.probestream.cli.doctor;

import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code doctor}: checks what the kernel and the privileges allow. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = DoctorCommand.HEADER,
        description = {
            "",
            "Each line is OK, LIMITED (recording works with restrictions) or MISSING (recording is not"
                    + " possible), with the result and the remedy. Kernel features are probed, not derived from the version.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 recording is possible; 1 failure, also if there is no process PID; 2 wrong usage; 77 a required"
                    + " feature is missing.",
            "",
            "Examples:",
            "  sudo ./probestream doctor",
            "  sudo ./probestream doctor -p 4711",
            "  sudo ./probestream doctor --json | jq '.findings[] | select(.status != \"ok\")'"
        })
public final class DoctorCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Checks what the kernel and the privileges allow, and suggests remedies.";

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print the results as one JSON object.")
    private boolean json;

    @Option(
            names = {"-p", "--pid"},
            paramLabel = "PID",
            description =
                    "Check this process instead: its program, whether it is stripped, which functions of the probe sets"
                            + " it has, and, for Node.js, whether its stacks have names and which flag is missing.")
    private @Nullable Integer pid;

    @Override
    public Integer call() throws IOException, ResolveException {
        DoctorReport report = pid == null ? Doctor.ofThisMachine(Path.of("/")).check() : Doctor.checkProcess(pid);
        if (json) {
            report.printJson(spec.commandLine().getOut());
        } else {
            report.printText(spec.commandLine().getOut());
        }
        return (report.recordingIsPossible() ? ExitCode.DONE : ExitCode.NOT_PERMITTED).value();
    }
}
