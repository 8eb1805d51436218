package dev.probestream.cli.collect;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks at a collection once a second, on a thread of its own that holds nobody up and keeps no JVM alive. */
final class CollectWatch implements AutoCloseable {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread watch = new Thread(task, "collect-watch");
        watch.setDaemon(true);
        return watch;
    });

    /** Calls {@code look} every second until closed. */
    void begin(Runnable look) {
        var unused = thread.scheduleWithFixedDelay(look, 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
