package dev.probestream.cli.live;

import dev.probestream.collector.request.StopSignal;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The output of lines. A pipe that the reader has closed (as head does after ten lines) is not a failure: the command ends.
 * A reader that stops reading blocks the writer, but not the end: after a stop request it gets {@value #GRACE_MS} ms.
 */
public final class LineOutput implements AutoCloseable {
    private static final long GRACE_MS = 2000;
    private static final long LOOK_EVERY_MS = 50;

    private final OutputStream stream;
    private final boolean isPipe;
    private final StopSignal stop;
    /** write(2) to a full pipe does not return and cannot be interrupted, so it runs on a thread of its own. */
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "write lines");
        thread.setDaemon(true);
        return thread;
    });

    private boolean closed;
    private boolean stalled;

    /**
     * Lines are written to {@code stream} unbuffered; it must not hide errors, as PrintStream does.
     *
     * @param isPipe whether the output is a pipe, which the reader may close
     * @param stop whether a stop was requested
     */
    public LineOutput(OutputStream stream, boolean isPipe, StopSignal stop) {
        this.stream = stream;
        this.isPipe = isPipe;
        this.stop = stop;
    }

    /** Whether the reader has closed the pipe. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether writing was given up because the reader took nothing after the stop request. */
    public boolean isStalled() {
        return stalled;
    }

    /** Writes all lines; false if they could not be written completely. */
    public boolean write(LineBuffer lines) {
        if (closed || stalled) {
            return false;
        }
        if (lines.length() == 0) {
            return true;
        }
        Future<?> written = writer.submit(() -> {
            stream.write(lines.bytes(), 0, lines.length());
            stream.flush();
            return null;
        });
        try {
            stalled = !isDone(written);
            return !stalled;
        } catch (ExecutionException e) {
            if (!isPipe || !(e.getCause() instanceof IOException)) {
                throw new UncheckedIOException("write lines to standard output", asIoException(e));
            }
            closed = true;
            return false;
        }
    }

    /** Stops the thread; a thread that is blocked in write(2) ends with the process. */
    @Override
    public void close() {
        writer.shutdown();
    }

    private boolean isDone(Future<?> written) throws ExecutionException {
        for (long waitedMs = 0; waitedMs < GRACE_MS; waitedMs += stop.isRaised() ? LOOK_EVERY_MS : 0) {
            try {
                written.get(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
                return true;
            } catch (TimeoutException e) {
                // Not written yet: check again for a stop request.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    private static IOException asIoException(ExecutionException e) {
        return e.getCause() instanceof IOException io ? io : new IOException(e);
    }
}
