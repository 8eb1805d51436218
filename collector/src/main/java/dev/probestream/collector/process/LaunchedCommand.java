package dev.probestream.collector.process;

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
 * A command that is started for being recorded and held before its first instruction until {@link #release}, so that
 * probes on its pid are in place in time.
 *
 * <p>A shell stops itself and, once it is continued, becomes the command by exec: the pid stays, and with it every
 * probe attached to the pid, also those on files the shell itself never maps. Until the release /proc/PID/exe is the
 * shell; what will run is {@link #executable}. The process belongs to this object: closing it ends what still runs.
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
     * Starts the command with our own stdin, stdout and stderr, and holds it.
     *
     * @param command the program's name or path and its arguments
     * @throws IOException when there is no such command, or no process can be started
     */
    public static LaunchedCommand start(List<String> command) throws IOException {
        return start(command, Map.of());
    }

    /** As above, with these variables beside our own, or with other values. */
    public static LaunchedCommand start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(environment);
        return start(builder);
    }

    /** As {@link #start(List)}, with the builder's environment, folder and redirections; the builder is left changed. */
    static LaunchedCommand start(ProcessBuilder builder) throws IOException {
        List<String> command = List.copyOf(builder.command());
        if (command.isEmpty()) {
            throw new IOException("start a command: none was given");
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

    /** The program that will run; for a script its interpreter, as far as the script's first line tells. */
    public Path executable() {
        return executable;
    }

    /** The files it will run code from when it starts, {@link #executable} first; found when first asked for. */
    public List<Path> files() {
        if (files == null) {
            files = LaunchFiles.of(executable, builder);
        }
        return files;
    }

    /** As it was given. */
    public List<String> command() {
        return command;
    }

    /** Lets it run; a second time, or after its end, does nothing. */
    public void release() {
        if (process.isAlive()) {
            ProcessSignal.send(pid(), SIGCONT, "let '" + command.get(0) + "' (process " + pid() + ") run");
        }
    }

    /** Whether the command has taken the place of the shell that held it. False once it has gone. */
    public boolean hasStarted() {
        try {
            String commandLine = ProcFile.read(pid(), "cmdline");
            return !commandLine.isEmpty() && !commandLine.contains(STOP_THEN_BECOME);
        } catch (IOException e) {
            return false;
        }
    }

    /** The exit code once it has ended; 128 and the signal's number when a signal ended it. */
    public Optional<Integer> exitCode() {
        return process.isAlive() ? Optional.empty() : Optional.of(process.exitValue());
    }

    /** Asks it to end, by SIGTERM; a command not yet released ends without having run. */
    public void terminate() {
        process.destroy();
        if (process.isAlive()) {
            // A stopped process takes its signals only when it goes on.
            ProcessSignal.trySend(pid(), SIGCONT);
        }
    }

    /** Waits for its end and gives the exit code, as {@link #exitCode} does. */
    public int await() throws InterruptedException {
        return process.waitFor();
    }

    /** Asks it to end if it still runs, gives it a few seconds to do so, and kills it then. */
    @Override
    public void close() {
        terminate();
        try {
            if (!process.waitFor(EXIT_TIMEOUT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        process.onExit().join();
    }

    Process process() {
        return process;
    }

    /** The shell needs a few milliseconds to come to its stop; a SIGCONT before that would be lost. */
    private void awaitStop() throws IOException {
        long startNs = System.nanoTime();
        while (!isStopped()) {
            if (!process.isAlive()) {
                throw new IOException("start '" + command.get(0) + "': the shell that should become it ended with code "
                        + process.exitValue());
            }
            if (System.nanoTime() - startNs > STOP_TIMEOUT_NS) {
                throw new IOException("start '" + command.get(0) + "': process " + pid() + " did not come to its stop");
            }
            LockSupport.parkNanos(STOP_POLL_NS);
        }
    }

    /** State T in the field behind the command's name in /proc/PID/stat (proc(5)). */
    private boolean isStopped() {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid() + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false; // it ended: the caller asks for that next
        }
    }
}
