package dev.probestream.cli.options;

import dev.probestream.collector.TargetSelection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Whom to record, as every command that captures takes it. */
public final class TargetOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-p", "--pid"},
            split = ",",
            paramLabel = "PID",
            hideParamSyntax = true,
            order = 1,
            description = "A process with all its threads; can be repeated.")
    private List<Integer> pids = new ArrayList<>();

    @Option(
            names = "--comm",
            paramLabel = "NAME",
            order = 2,
            description = "Every process whose main thread (/proc/PID/comm) or program file has this name, also"
                    + " one that starts later.")
    private @Nullable String comm;

    @Option(
            names = "--cgroup",
            paramLabel = "FOLDER",
            order = 3,
            description = "Every process in this control group (version 2) and those below it, such as"
                    + " /sys/fs/cgroup/system.slice/app.service.")
    private @Nullable Path cgroup;

    @Parameters(
            arity = "0..*",
            paramLabel = "-- CMD...",
            hideParamSyntax = true,
            description = "A command to start with the probes in place before its first instruction. It is asked to end"
                    + " (SIGTERM) when it still runs at the end of the recording.")
    private List<String> command = List.of();

    /**
     * The one way that was used.
     *
     * @throws ParameterException when there is none, or more than one
     */
    public TargetSelection selection() {
        return selection(command);
    }

    /** All words that are no options. */
    public List<String> words() {
        return command;
    }

    /**
     * The same where only some of the words are the command.
     *
     * @throws ParameterException when there is no way, or more than one
     */
    public TargetSelection selection(List<String> command) {
        int ways = (pids.isEmpty() ? 0 : 1)
                + (comm == null ? 0 : 1)
                + (cgroup == null ? 0 : 1)
                + (command.isEmpty() ? 0 : 1);
        if (ways != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    ways == 0
                            ? "say whom to record: -p PID, --comm NAME, --cgroup FOLDER or -- CMD"
                            : "say whom to record in one way only: -p PID, --comm NAME, --cgroup FOLDER or -- CMD");
        }
        if (comm != null) {
            return TargetSelection.ofComm(comm);
        }
        if (cgroup != null) {
            return TargetSelection.ofCgroup(cgroup);
        }
        return pids.isEmpty() ? TargetSelection.ofCommand(command) : TargetSelection.ofPids(pids);
    }
}
