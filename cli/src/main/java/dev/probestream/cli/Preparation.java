package dev.probestream.cli;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads what every capture needs (the binding of system calls, the schemas of recordings, zstd) while the command line is
 * read: both take a tenth of a second, on processors of their own. {@link #await} returns before the command begins, so that
 * two threads never initialize the same classes.
 */
final class Preparation {
    private static final Set<CommandName> CAPTURING =
            EnumSet.of(CommandName.RECORD, CommandName.TRACE, CommandName.HTTP, CommandName.LOOP, CommandName.COLLECT);
    private static final List<String> ANSWERED = List.of("-h", "--help", "-V", "--version");

    private final Thread thread;
    private @Nullable Error failure;

    private Preparation(Runnable work) {
        thread = new Thread(() -> run(work), "preparation");
        thread.setDaemon(true);
    }

    /** Begins, if {@code arguments} ask for a capture. */
    static Preparation of(String... arguments) {
        boolean isCapture = arguments.length > 0
                && CAPTURING.stream().anyMatch(name -> name.spelling().equals(arguments[0]))
                && Arrays.stream(arguments).noneMatch(ANSWERED::contains);
        return of(isCapture ? Preparation::load : () -> {});
    }

    /** Begins to work. */
    static Preparation of(Runnable work) {
        Preparation preparation = new Preparation(work);
        preparation.thread.start();
        return preparation;
    }

    private static void load() {
        ClockReading.monotonicNowNs();
        try {
            RecordingWriter.prepare();
        } catch (RecordingException e) {
            return; // the command meets it again, and reports it
        }
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (Error e) {
            failure = e;
        } catch (RuntimeException e) {
            return; // the command meets it again, and reports it
        }
    }

    /**
     * Waits for the end.
     *
     * @throws Error if a class could not be initialized: the JVM gives the reason only once
     */
    void await() {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
