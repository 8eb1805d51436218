package dev.probestream.sink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The pause after the disk was full. It doubles with each failure until a segment is finished. */
final class DiskPause {
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Path folder;
    private final WaitReports waits;
    private long pauseNanos = FIRST_NANOS;
    private long untilNanos = System.nanoTime();

    DiskPause(Path folder, WaitReports waits) {
        this.folder = folder;
        this.waits = waits;
    }

    void begin(IOException failure) {
        waits.begin(
                SinkWait.DISK,
                "the disk of " + folder + " is full: " + failure.getMessage(),
                "unfinished files are removed and their events will be read again. Free some space: the sink"
                        + " then continues by itself");
        untilNanos = System.nanoTime() + pauseNanos;
        pauseNanos = Math.min(LONGEST_NANOS, 2 * pauseNanos);
    }

    /**
     * Whether {@code failure} is caused by ENOSPC or EDQUOT, the only failures of a disk that are retried; their texts are
     * strerror(3)'s, as the JDK passes them on.
     */
    static boolean isDiskFull(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
                return true;
            }
        }
        return false;
    }

    boolean isOver() {
        return System.nanoTime() - untilNanos >= 0;
    }

    /** Called when a segment was finished. */
    void succeeded() {
        pauseNanos = FIRST_NANOS;
        waits.end(SinkWait.DISK);
    }
}
