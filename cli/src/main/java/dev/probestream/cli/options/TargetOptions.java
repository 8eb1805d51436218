package dev.probestream.cli.options;

import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The processes to trace, for every command that captures. */
public final class TargetOptions {
    private static final String COMMAND_MARK = "--";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-p", "--pid"},
            split = ",",
            paramLabel = "PID",
            hideParamSyntax = true,
            order = 1,
            description = "Trace this process with all its threads; can be repeated.")
    private List<Integer> pids = new ArrayList<>();

    @Option(
            names = "--comm",
            paramLabel = "NAME",
            order = 2,
            description = "Trace every process whose main thread (/proc/PID/comm) or program file has this name,"
                    + " including those that start later; if there is none, wait for the first.")
    private @Nullable String comm;

    @Option(
            names = "--cgroup",
            paramLabel = "FOLDER",
            order = 3,
            description = "Trace every process in this control group (version 2) and those below it, such as"
                    + " /sys/fs/cgroup/system.slice/app.service.")
    private @Nullable Path cgroup;

    @Option(
            names = "--all",
            order = 4,
            description = "Trace everything on the machine: every process but this one, kernel threads and interrupts."
                    + " Functions and USDT probes need the path of their file.")
    private boolean all;

    @Option(
            names = "--follow",
            order = 5,
            description = "Also trace the children of these processes, including those that start later.")
    private boolean follow;

    @Parameters(
            arity = "0..*",
            paramLabel = "-- CMD...",
            hideParamSyntax = true,
            description = "Start this command with the probes attached before its first instruction. If it still runs"
                    + " at the end of the recording, it gets SIGTERM.")
    private List<String> command = List.of();

    /**
     * The selection of processes.
     *
     * @throws ParameterException if there is no selection, or more than one
     */
    public TargetSelection selection() {
        return selection(command);
    }

    /** Whether the children of the processes are traced too. */
    public boolean isFollow() {
        return follow;
    }

    /** The words before {@code --}, of a command whose positional arguments are specs. */
    public List<String> specs() {
        return command.subList(0, command.size() - wordsBehindDashes().size());
    }

    /**
     * The selection of a command whose positional arguments are specs: the words after {@code --} are the command to start.
     *
     * @throws ParameterException if there is no selection, or more than one
     */
    public TargetSelection selectionBehindSpecs() {
        return selection(wordsBehindDashes());
    }

    /** The words after {@code --}; picocli drops the mark. */
    private List<String> wordsBehindDashes() {
        List<String> typed = spec.commandLine().getParent().getParseResult().originalArgs();
        int mark = typed.indexOf(COMMAND_MARK);
        return mark < 0 ? List.of() : typed.subList(mark + 1, typed.size());
    }

    private TargetSelection selection(List<String> command) {
        int ways = (pids.isEmpty() ? 0 : 1)
                + (comm == null ? 0 : 1)
                + (cgroup == null ? 0 : 1)
                + (command.isEmpty() ? 0 : 1)
                + (all ? 1 : 0);
        if (ways != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    ways == 0
                            ? "no process selected: use -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD"
                            : "more than one selection of processes: use only one of -p PID, --comm NAME, --cgroup FOLDER, --all or -- CMD");
        }
        if (all) {
            return TargetSelection.ofAll();
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
