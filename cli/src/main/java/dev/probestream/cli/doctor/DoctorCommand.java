package dev.probestream.cli.doctor;

import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code doctor}: what this kernel and these privileges allow, feature by feature. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Says what this kernel and these privileges allow, and what to do about the rest.",
        description = {
            "",
            "Each line is OK, LIMITED (recording works, but something is left out) or MISSING (recording is not"
                    + " possible), with what was found and what to do. The kernel is asked by trying, not by its version.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 recording is possible here, 77 something needed is missing.",
            "",
            "Examples:",
            "  sudo ./probestream doctor",
            "  sudo ./probestream doctor -p 4711",
            "  sudo ./probestream doctor --json | jq '.findings[] | select(.status != \"ok\")'"
        })
public final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print the findings as one JSON object.")
    private boolean json;

    @Option(
            names = {"-p", "--pid"},
            paramLabel = "PID",
            description =
                    "Look at this process instead: its program, whether it is stripped, which functions of the probe sets"
                            + " it has, and, of Node.js, what its stacks will look like and which flag helps.")
    private @Nullable Integer pid;

    @Override
    public Integer call() throws IOException {
        DoctorReport report = pid == null ? Doctor.ofThisMachine(Path.of("/")).check() : Doctor.checkProcess(pid);
        if (json) {
            report.printJson(spec.commandLine().getOut());
        } else {
            report.printText(spec.commandLine().getOut());
        }
        return (report.recordingIsPossible() ? ExitCode.DONE : ExitCode.NOT_PERMITTED).value();
    }
}
