package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A process to be probed, as described in /proc when it was read.
 *
 * @param pid in our pid namespace
 * @param namespacePid in the innermost pid namespace of the process (its container's)
 * @param parentPid in our pid namespace; 0 = none visible
 * @param userId the real user id, as our user namespace sees it
 * @param comm the name of the main thread, at most 15 bytes
 * @param commandLine the arguments it was started with, or has set itself
 * @param executable path of its executable in its own mount namespace; without {@code (deleted)}
 * @param startBoottimeNs when it started, on CLOCK_BOOTTIME, with a resolution of 10 ms; unique together with the pid
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
    /** Times in /proc/PID/stat are in units of 1/USER_HZ; USER_HZ is 100 on all supported architectures. */
    private static final long NS_PER_TICK = 10_000_000;

    /**
     * Reads a process from /proc.
     *
     * @throws ResolveException if there is no such process, it has no executable, or access is denied
     */
    public static Target of(int pid) throws ResolveException {
        String status = status(pid);
        int threadGroup = number(ProcFile.statusField(status, "Tgid").orElse(""), pid);
        if (threadGroup != pid) {
            throw new ResolveException(
                    Reason.NO_PROCESS,
                    "read process " + pid + ": it is a thread of process " + threadGroup + "; use that pid");
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

    /** A path that opens its running executable, even if the file was deleted or replaced. */
    public Path executableFile() {
        return ProcFile.of(pid, "exe");
    }

    /** Its current memory maps. */
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

    /** Its current threads, the main thread first; empty if it has exited. */
    public List<TargetThread> threads() {
        try (Stream<Path> tasks = Files.list(ProcFile.of(pid, "task"))) {
            return tasks.map(task -> TargetThread.read(pid, task.getFileName().toString()))
                    .flatMap(thread -> thread.stream())
                    .sorted(Comparator.<TargetThread>comparingInt(thread -> thread.tid() == pid ? 0 : 1)
                            .thenComparingInt(TargetThread::tid))
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** That it has exited, as the reason for what failed. */
    public ResolveException hasExited(Exception cause) {
        return new ResolveException(Reason.NO_PROCESS, "read process " + pid + " (" + comm + "): it has exited", cause);
    }

    private static String status(int pid) throws ResolveException {
        try {
            return ProcFile.read(pid, "status");
        } catch (NoSuchFileException e) {
            throw new ResolveException(
                    Reason.NO_PROCESS,
                    "read process " + pid + ": there is no process with this pid; it may have exited"
                            + " ('ps -e' lists running processes)" + hidden(),
                    e);
        } catch (IOException e) {
            throw failure(pid, "", "", e);
        }
    }

    /** What to add if /proc shows own processes only (proc(5), hidepid). */
    private static String hidden() {
        try {
            boolean isHiding = Files.readString(Path.of("/proc/self/mounts"))
                    .lines()
                    .map(line -> line.split(" "))
                    .anyMatch(mount -> mount[1].equals("/proc")
                            && mount[3].matches(".*\\bhidepid=(2|4|invisible|ptraceable)\\b.*"));
            return isHiding
                    ? "; /proc is mounted with hidepid: those of other users are shown to root and with CAP_SYS_PTRACE only"
                    : "";
        } catch (IOException e) {
            return "";
        }
    }

    private static Target read(int pid, String comm, String status) throws IOException {
        String stat = ProcFile.read(pid, "stat");
        // The name in parentheses may contain blanks and parentheses; field 3, the state, follows the last parenthesis.
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
        String process = "read process " + pid + " (" + comm + "): ";
        String state = ProcFile.statusField(status, "State").orElse("");
        if (state.startsWith("Z") || state.startsWith("X")) {
            return process + "it has exited and waits for its parent (a zombie)";
        }
        return ProcFile.statusField(status, "VmSize").isEmpty()
                ? process + "it is a kernel thread and has no executable; use tracepoints"
                : process + "it exited while it was read";
    }

    private static ResolveException failure(int pid, String comm, String status, IOException e) {
        String process = "read process " + pid + (comm.isEmpty() ? "" : " (" + comm + ")") + ": ";
        if (!ProcFile.isDenied(e)) {
            return new ResolveException(Reason.NO_PROCESS, process + ProcFile.reason(e), e);
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
