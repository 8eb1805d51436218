package dev.probestream.sink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** After the disk was full: when to try again, each time a little later until a slice could be finished. */
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
                "the disk of " + folder + " is full: " + failure.getMessage()
                        + "; what was not finished is removed and will be read again. Free some space on it: the sink goes"
                        + " on by itself");
        untilNanos = System.nanoTime() + pauseNanos;
        pauseNanos = Math.min(LONGEST_NANOS, 2 * pauseNanos);
    }

    boolean isOver() {
        return System.nanoTime() - untilNanos >= 0;
    }

    /** A slice was finished. */
    void succeeded() {
        pauseNanos = FIRST_NANOS;
        waits.end(SinkWait.DISK);
    }
}
