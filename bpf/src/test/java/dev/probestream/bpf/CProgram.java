package dev.probestream.bpf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A C fixture, compiled by the machine's gcc (or {@code $CC}) from {@code testdata/} on the class path. A started
 * program and its test shake hands line by line through stdin and stdout, so that no test has to wait for a time.
 *
 * @param executable the compiled file, an absolute path
 */
public record CProgram(Path executable) {
    private static final List<String> DEFAULT_FLAGS = List.of("-O1", "-g0", "-fno-inline", "-pthread");

    /**
     * Compiles {@code testdata/NAME.c} into {@code folder}.
     *
     * @param name path below {@code testdata/} without {@code .c}, such as {@code bpf/calls}
     * @param flags further arguments for the compiler, such as {@code -fcf-protection=branch}
     */
    public static CProgram compile(Path folder, String name, String... flags) throws IOException, InterruptedException {
        String fileName = name.substring(name.lastIndexOf('/') + 1);
        Path source = folder.resolve(fileName + ".c");
        Path executable = folder.resolve(fileName).toAbsolutePath();
        try (InputStream resource = CProgram.class.getResourceAsStream("/testdata/" + name + ".c")) {
            if (resource == null) {
                throw new IOException("no C fixture /testdata/" + name + ".c on the class path");
            }
            Files.write(source, resource.readAllBytes());
        }
        List<String> command = new ArrayList<>();
        command.add(System.getenv().getOrDefault("CC", "gcc"));
        command.addAll(DEFAULT_FLAGS);
        command.addAll(List.of(flags));
        command.addAll(List.of("-o", executable.toString(), source.toString()));
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException("compile " + source + " with " + String.join(" ", command) + ": " + output);
        }
        return new CProgram(executable);
    }

    /** Starts it; the caller closes what is returned, which kills the process if it still runs. */
    public Running start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(executable.toString());
        command.addAll(List.of(arguments));
        return new Running(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /**
     * File offset of a function, as a uprobe needs it, read with binutils' nm: fixtures need no ELF reader of ours.
     * Holds for executables whose text segment is mapped as gcc's linker lays it out (file offset = address within a
     * position-independent file).
     */
    public long functionOffset(String function) throws IOException, InterruptedException {
        Process nm = new ProcessBuilder("nm", executable.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(nm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        nm.waitFor();
        return output.lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length == 3 && fields[2].equals(function))
                .map(fields -> Long.parseUnsignedLong(fields[0], 16))
                .findFirst()
                .orElseThrow(() -> new IOException("nm finds no function " + function + " in " + executable));
    }

    /** A started fixture. */
    public static final class Running implements AutoCloseable {
        private static final long PATIENCE_S = 60;
        private static final String READ = "0 "; // __NR_read of x86-64

        private final Process process;
        private final BufferedReader output;
        private final Writer input;

        Running(Process process) {
            this.process = process;
            this.output = process.inputReader(StandardCharsets.UTF_8);
            this.input = process.outputWriter(StandardCharsets.UTF_8);
        }

        public int pid() {
            return Math.toIntExact(process.pid());
        }

        /** Sends one line to its stdin. */
        public void send(String line) throws IOException {
            input.write(line + "\n");
            input.flush();
        }

        /** The next line of its stdout; waits for it. */
        public String receive() throws IOException {
            String line = output.readLine();
            if (line == null) {
                throw new IOException("process " + pid() + " closed its output instead of answering");
            }
            return line;
        }

        /** Sends a line and waits for the answer. */
        public String ask(String line) throws IOException {
            send(line);
            return receive();
        }

        /**
         * Waits until a thread waits in read(2), and is off its CPU: the kernel shows the number of the system call only
         * then (lib/syscall.c), so that what it traces of the wait's beginning is behind us.
         */
        public void awaitRead(int tid) throws IOException {
            Path state = Path.of("/proc/" + pid() + "/task/" + tid + "/syscall");
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
            while (!Files.readString(state).startsWith(READ)) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IOException("thread " + tid + " does not wait in read(2) after " + PATIENCE_S + " s");
                }
                Thread.onSpinWait();
            }
        }

        /** Closes its stdin and waits for its exit code. */
        public int finish() throws IOException, InterruptedException {
            input.close();
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IOException(
                        "process " + pid() + " still runs " + PATIENCE_S + " s after its input was closed");
            }
            return process.exitValue();
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            try (output;
                    input) {
                process.onExit().join();
            }
        }
    }
}
