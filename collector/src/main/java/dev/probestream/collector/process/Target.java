package dev.probestream.collector.process;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.process.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process to be probed, as /proc described it when it was asked.
 *
 * @param pid in our pid namespace
 * @param namespacePid in the innermost pid namespace the process is in (its container's)
 * @param parentPid in our pid namespace; 0 = none that we can see
 * @param userId the real user id, as our user namespace sees it
 * @param comm the name of the main thread, at most 15 bytes
 * @param commandLine the arguments it was started with, or set itself since
 * @param executable its program, as a path in its own mount namespace; without {@code (deleted)}
 * @param startBoottimeNs when it started, on CLOCK_BOOTTIME, to 10 ms; with the pid this is unique
 */
public record Target(
        int pid,
        int namespacePid,
        int parentPid,
        int userId,
        String comm,
        List<String> commandLine,
        String executable,
        long startBoottimeNs) {
    /** USER_HZ is 100 on every architecture we run on: the unit of times in /proc/PID/stat. */
    private static final long NS_PER_TICK = 10_000_000;

    /**
     * Asks /proc about a process.
     *
     * @throws ResolveException there is none, it has no program, or we may not look
     */
    public static Target of(int pid) throws ResolveException {
        String status = status(pid);
        int threadGroup = number(ProcFile.statusField(status, "Tgid").orElse(""), pid);
        if (threadGroup != pid) {
            throw new ResolveException(
                    Reason.NO_PROCESS,
                    "look at process " + pid + ": it is a thread of process " + threadGroup + "; give that pid");
        }
        String comm = ProcFile.statusField(status, "Name").orElse("");
        try {
            return read(pid, comm, status);
        } catch (NoSuchFileException e) {
            throw new ResolveException(Reason.NO_PROCESS, withoutProgram(pid, comm, status), e);
        } catch (IOException e) {
            throw failure(pid, comm, status, e);
        }
    }

    /** Its program as a path that opens the file that runs, even if that was deleted or replaced since. */
    public Path executableFile() {
        return ProcFile.of(pid, "exe");
    }

    /** What it has mapped now. */
    public ProcessMaps maps() throws ResolveException {
        try {
            return ProcessMaps.read(pid);
        } catch (NoSuchFileException e) {
            throw new ResolveException(
                    Reason.NO_PROCESS, "read /proc/" + pid + "/maps: process " + pid + " (" + comm + ") has exited", e);
        } catch (IOException e) {
            throw failure(pid, comm, "", e);
        }
    }

    /** Its threads as they are now, the main thread first; empty once it has exited. */
    public List<TargetThread> threads() {
        try (Stream<Path> tasks = Files.list(ProcFile.of(pid, "task"))) {
            return tasks.map(task -> TargetThread.read(pid, task.getFileName().toString()))
                    .flatMap(thread -> thread.stream())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static String status(int pid) throws ResolveException {
        try {
            return ProcFile.read(pid, "status");
        } catch (NoSuchFileException e) {
            throw new ResolveException(
                    Reason.NO_PROCESS,
                    "look at process " + pid + ": there is no process with this pid; it may have exited"
                            + " ('ps -e' lists those that run)",
                    e);
        } catch (IOException e) {
            throw failure(pid, "", "", e);
        }
    }

    private static Target read(int pid, String comm, String status) throws IOException {
        String stat = ProcFile.read(pid, "stat");
        // The name in parentheses may hold blanks and parentheses; field 3, the state, follows the last of them.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        String[] namespacePids =
                ProcFile.statusField(status, "NSpid").orElse("").split("\\s+");
        String[] userIds = ProcFile.statusField(status, "Uid").orElse("").split("\\s+");
        String commandLine = ProcFile.read(pid, "cmdline");
        String executable = Files.readSymbolicLink(ProcFile.of(pid, "exe")).toString();
        String deleted = " (deleted)";
        return new Target(
                pid,
                number(namespacePids[namespacePids.length - 1], pid),
                number(fields.length > 1 ? fields[1] : "", 0),
                number(userIds[0], -1),
                comm,
                commandLine.isEmpty() ? List.of() : List.of(commandLine.split("\0")),
                executable.endsWith(deleted)
                        ? executable.substring(0, executable.length() - deleted.length())
                        : executable,
                fields.length > 19 ? Long.parseLong(fields[19]) * NS_PER_TICK : -1);
    }

    private static String withoutProgram(int pid, String comm, String status) {
        String process = "look at process " + pid + " (" + comm + "): ";
        String state = ProcFile.statusField(status, "State").orElse("");
        if (state.startsWith("Z") || state.startsWith("X")) {
            return process + "it has exited already and only waits for its parent (a zombie)";
        }
        return ProcFile.statusField(status, "VmSize").isEmpty()
                ? process + "it is a thread of the kernel and has no program; use tracepoints"
                : process + "it has exited while it was looked at";
    }

    private static ResolveException failure(int pid, String comm, String status, IOException e) {
        String process = "look at process " + pid + (comm.isEmpty() ? "" : " (" + comm + ")") + ": ";
        if (!ProcFile.isDenied(e)) {
            return new ResolveException(Reason.NO_PROCESS, process + ProcFile.words(e), e);
        }
        String user = ProcFile.statusField(status, "Uid")
                .map(ids -> ids.split("\\s+")[0])
                .orElse("another");
        return new ResolveException(
                Reason.NOT_PERMITTED,
                process + "permission denied (it runs as user " + user
                        + "; run Probestream as root or with CAP_SYS_PTRACE)",
                e);
    }

    private static int number(String text, int otherwise) {
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : otherwise;
    }
}
