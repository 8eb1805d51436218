package dev.probestream.cli.kafka.kill;

import java.io.IOException;
import java.util.function.Supplier;

/** Something that becomes true. */
interface BoundedWait {
    boolean isTrue() throws IOException, InterruptedException;

    /** Asks again and again; fails with {@code what} it is when that takes longer than {@link Service#PATIENCE}. */
    static void await(BoundedWait condition, Supplier<String> what) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + Service.TIMEOUT.toNanos();
        while (!condition.isTrue()) {
            if (System.nanoTime() > deadlineNs) {
                throw new IOException("not within " + Service.TIMEOUT.toSeconds() + " s: " + what.get());
            }
            Thread.sleep(50);
        }
    }
}
