package dev.probestream.collector.internal.process;

import dev.probestream.bpf.machine.ProcessSignal;
import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A command that is started to be recorded and is held before its first instruction until {@link #release}, so that
 * probes can be attached to its pid first.
 *
 * <p>A shell stops itself and, when continued, executes the command (exec). The pid stays the same, and with it all
 * probes attached to the pid, including those on files that the shell never maps. Until the release /proc/PID/exe is
 * the shell; the program to be run is {@link #executable}. This object owns the process and ends it on close.
 */
public final class LaunchedCommand implements AutoCloseable {
    private static final String STOP_THEN_BECOME = "kill -STOP $$; exec \"$@\"";
    private static final int SIGCONT = 18; // signal(7), x86-64 and arm64
    private static final long STOP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long EXIT_TIMEOUT_S = 5;
    private static final long STOP_POLL_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Process process;
    private final Path executable;
    private final List<String> command;
    private final ProcessBuilder builder;
    private @Nullable List<Path> files;

    private LaunchedCommand(Process process, Path executable, List<String> command, ProcessBuilder builder) {
        this.process = process;
        this.executable = executable;
        this.command = command;
        this.builder = builder;
    }

    /**
     * Starts the command with stdin, stdout and stderr of this process, and holds it.
     *
     * @param command the program's name or path and its arguments
     * @throws IOException if there is no such command, or no process can be started
     */
    public static LaunchedCommand start(List<String> command) throws IOException {
        return start(command, Map.of());
    }

    /** As {@link #start(List)}, with these variables added to the environment. */
    public static LaunchedCommand start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(environment);
        return start(builder);
    }

    /** As {@link #start(List)}, with the builder's environment, folder and redirections. Changes the builder. */
    static LaunchedCommand start(ProcessBuilder builder) throws IOException {
        List<String> command = List.copyOf(builder.command());
        if (command.isEmpty()) {
            throw new IOException("start a command: the command is empty");
        }
        String searchPath = builder.environment().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        Path executable = new CommandFile(searchPath).resolve(command.get(0));
        List<String> shell = new ArrayList<>(List.of("/bin/sh", "-c", STOP_THEN_BECOME, "sh"));
        shell.addAll(command);
        LaunchedCommand launched = new LaunchedCommand(builder.command(shell).start(), executable, command, builder);
        try {
            launched.awaitStop();
            return launched;
        } catch (IOException | RuntimeException e) {
            launched.close();
            throw e;
        }
    }

    /** The pid of the command, now and after the release. */
    public int pid() {
        return Math.toIntExact(process.pid());
    }

    /** The program that will run; for a script the interpreter in its first line. */
    public Path executable() {
        return executable;
    }

    /** The files that it will run code from when it starts, {@link #executable} first. Computed on the first call. */
    public List<Path> files() {
        if (files == null) {
            files = LaunchFiles.of(executable, builder);
        }
        return files;
    }

    /** The command as passed to {@link #start}. */
    public List<String> command() {
        return command;
    }

    /** Lets the command run. Does nothing if it already runs or has ended. */
    public void release() {
        if (process.isAlive()) {
            ProcessSignal.send(pid(), SIGCONT, "let '" + command.get(0) + "' (process " + pid() + ") run");
        }
    }

    /** Whether the shell has executed the command. False after the command has ended. */
    public boolean hasStarted() {
        try {
            String commandLine = ProcFile.read(pid(), "cmdline");
            return !commandLine.isEmpty() && !commandLine.contains(STOP_THEN_BECOME);
        } catch (IOException e) {
            return false;
        }
    }

    /** The exit code if the command has ended; 128 + the signal's number if a signal ended it. */
    public Optional<Integer> exitCode() {
        if (process.isAlive() && TargetProcesses.hasEnded(pid())) {
            awaitStatus(); // a thread of Java's takes it from the kernel
        }
        return process.isAlive() ? Optional.empty() : Optional.of(process.exitValue());
    }

    /** Sends SIGTERM. A command that was not released ends without having run. */
    public void terminate() {
        process.destroy();
        if (process.isAlive()) {
            // A stopped process handles signals only when continued.
            ProcessSignal.trySend(pid(), SIGCONT);
        }
    }

    /** Waits for the end of the command and returns the exit code, as {@link #exitCode} does. */
    public int await() throws InterruptedException {
        return process.waitFor();
    }

    /** Ends the command if it still runs: sends SIGTERM, waits a few seconds, then kills it. */
    @Override
    public void close() {
        terminate();
        if (!awaitStatus()) {
            process.destroyForcibly();
        }
        process.onExit().join();
    }

    private boolean awaitStatus() {
        try {
            return process.waitFor(EXIT_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    Process process() {
        return process;
    }

    /** Waits until the shell has stopped itself, which takes a few milliseconds; an earlier SIGCONT would be lost. */
    private void awaitStop() throws IOException {
        long startNs = System.nanoTime();
        while (!isStopped()) {
            if (!process.isAlive()) {
                throw new IOException("start '" + command.get(0) + "': the shell that starts it exited with code "
                        + process.exitValue());
            }
            if (System.nanoTime() - startNs > STOP_TIMEOUT_NS) {
                throw new IOException("start '" + command.get(0) + "': process " + pid() + " did not stop in time");
            }
            LockSupport.parkNanos(STOP_POLL_NS);
        }
    }

    /** State T in the field after the command's name in /proc/PID/stat (proc(5)). */
    private boolean isStopped() {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid() + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false; // the process has ended; the caller checks that next
        }
    }
}
