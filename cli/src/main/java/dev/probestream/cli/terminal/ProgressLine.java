package dev.probestream.cli.terminal;

import dev.probestream.collector.request.CollectionProgress;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Draws the progress of a recording: time, events and their rate since the last update, bytes, losses. */
public final class ProgressLine implements CollectionProgress.Listener {
    private final Terminal terminal;
    private final LongSupplier nanoTime;
    private final long startNs;
    private long lastNs;
    private long lastEvents;

    /** {@code nanoTime} is {@link System#nanoTime} but in tests; the recording starts now. */
    public ProgressLine(Terminal terminal, LongSupplier nanoTime) {
        this.terminal = terminal;
        this.nanoTime = nanoTime;
        this.startNs = nanoTime.getAsLong();
        this.lastNs = startNs;
    }

    @Override
    public void progress(CollectionProgress progress) {
        long deliveredEvents = progress.deliveredEvents();
        long nowNs = nanoTime.getAsLong();
        long perSecond = Math.round((deliveredEvents - lastEvents) * 1e9 / Math.max(nowNs - lastNs, 1));
        lastNs = nowNs;
        lastEvents = deliveredEvents;
        terminal.progress(() -> "recording " + Quantity.seconds(Duration.ofNanos(nowNs - startNs)) + ": "
                + Quantity.count(deliveredEvents, "event") + " (" + Quantity.count(perSecond) + "/s), "
                + Quantity.bytes(progress.publishedBytes()) + ", "
                + (progress.lostEvents() == 0 ? "none lost" : Quantity.count(progress.lostEvents()) + " LOST"));
    }
}
