package dev.probestream.cli.live;

import dev.probestream.collector.StopSignal;
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
 * Where lines go. A pipe whose reader has gone (head has its ten lines) is no failure: nothing more is wanted. A reader
 * that rests holds up whoever writes, but not the end: once that is asked for, it gets {@value #GRACE_MS} ms more.
 */
public final class LineOutput implements AutoCloseable {
    private static final long GRACE_MS = 2000;
    private static final long LOOK_EVERY_MS = 50;

    private final OutputStream stream;
    private final boolean isPipe;
    private final StopSignal stop;
    /** write(2) to a pipe that nobody reads does not return, and nothing can call it back: so a thread of its own. */
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "write lines");
        thread.setDaemon(true);
        return thread;
    });

    private boolean closed;
    private boolean stalled;

    /**
     * Lines go to {@code stream} at once; it should not be one that swallows its errors, as PrintStream does.
     *
     * @param isPipe whether somebody reads the other end, who may go
     * @param stop says that an end is wanted
     */
    public LineOutput(OutputStream stream, boolean isPipe, StopSignal stop) {
        this.stream = stream;
        this.isPipe = isPipe;
        this.stop = stop;
    }

    /** Whether the reader has gone. */
    public boolean isClosed() {
        return closed;
    }

    /** Whether it was given up, since the reader took nothing when the end was asked for. */
    public boolean isStalled() {
        return stalled;
    }

    /** Writes all of it; false when that cannot be, or only a part was taken. */
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

    /** Lets the thread go; one that is stuck in write(2) ends with the process. */
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
                // Not yet: look again whether an end is wanted.
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
