package dev.probestream.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A running bpftrace that probes the target. */
final class Bpftrace implements AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    /** A call without a probe takes 1 or 2 on average, one with a probe some hundreds. */
    private static final long PROBED_CALL_NS = 100;

    private static final int TRIAL_CALLS = 10_000;

    private final Process process;
    private final Path messages;

    private Bpftrace(Process process, Path messages) {
        this.process = process;
        this.messages = messages;
    }

    /** Its version, or empty text when it is not installed. */
    static String version() throws InterruptedException {
        try {
            Process asked = new ProcessBuilder("bpftrace", "--version").start();
            String version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return asked.waitFor() == 0 ? version : "";
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Starts it; the target's calls are probed from some later moment.
     *
     * @param folder for its messages
     * @param action what is done at a hit, in its language; what it prints goes to /dev/null
     */
    static Bpftrace start(Path folder, Target target, String action) throws IOException {
        Path messages = Files.createTempFile(folder, "bpftrace", ".err");
        String program = "uprobe:" + target.executable() + ":" + Target.FUNCTION + " { " + action + " }";
        Process process = new ProcessBuilder(List.of("bpftrace", "-p", Integer.toString(target.pid()), "-e", program))
                .redirectOutput(new File("/dev/null"))
                .redirectError(messages.toFile())
                .start();
        return new Bpftrace(process, messages);
    }

    /** Waits until the target's calls are probed. */
    void awaitProbe(Target target) throws IOException {
        long giveUpNs = System.nanoTime() + PATIENCE_NS;
        while (target.call(TRIAL_CALLS) < PROBED_CALL_NS * TRIAL_CALLS) {
            if (!process.isAlive() || System.nanoTime() - giveUpNs > 0) {
                throw new IOException("have bpftrace probe " + target.executable() + ": " + Files.readString(messages));
            }
            Thread.onSpinWait();
        }
    }

    /** Ends it. A signal that comes while bpftrace is about to start polling gets lost in it, so more may be needed. */
    @Override
    public void close() {
        do {
            process.destroy();
        } while (!hasEnded());
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while bpftrace ends", e);
        }
    }
}
