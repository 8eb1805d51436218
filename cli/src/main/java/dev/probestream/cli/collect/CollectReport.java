package dev.probestream.cli.collect;

import dev.probestream.cli.terminal.LossText;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.request.CollectionProgress;
import dev.probestream.collector.request.CollectionProgress.ProbeLoss;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Logs the state of a collector: every minute, when the broker stops or resumes responding, and when losses start or end.
 * The collecting thread only stores its progress here. It blocks while the broker does not respond, so another thread
 * calls {@link #tick} once a second.
 */
final class CollectReport implements CollectionProgress.Listener {
    private static final CollectionProgress NONE =
            new CollectionProgress(0, 0, List.of(), 0, 0, CostReading.NONE, List.of());
    private static final long LINE_EVERY_NS = Duration.ofMinutes(1).toNanos();
    private static final long SILENCE_NS = Duration.ofSeconds(5).toNanos();
    private static final long NO_MORE_LOSSES_NS = Duration.ofSeconds(10).toNanos();

    private final ServiceLog log;
    private final String servers;
    private final LongSupplier acknowledgedEvents;
    private final LongSupplier nanoTime;
    private volatile CollectionProgress latest = NONE;

    private long lineNs;
    private long lineEvents;
    private long lastAcknowledged;
    private long answeredNs;
    private boolean isSilent;
    private long lastLost;
    private long lostBefore;
    private long lossesBeganNs;
    private long lostNs;
    private boolean isLosing;

    /** {@code nanoTime} is {@link System#nanoTime} but in tests. */
    CollectReport(ServiceLog log, String servers, LongSupplier acknowledgedEvents, LongSupplier nanoTime) {
        this.log = log;
        this.servers = servers;
        this.acknowledgedEvents = acknowledgedEvents;
        this.nanoTime = nanoTime;
        this.lineNs = nanoTime.getAsLong();
        this.answeredNs = lineNs;
    }

    @Override
    public void progress(CollectionProgress progress) {
        latest = progress;
    }

    /** The latest progress; may be called from any thread. */
    CollectionProgress latest() {
        return latest;
    }

    /** Logs what has changed; always called from the same thread. */
    void tick() {
        long nowNs = nanoTime.getAsLong();
        CollectionProgress progress = latest;
        lookAtBroker(nowNs, progress.deliveredEvents(), acknowledgedEvents.getAsLong());
        lookAtLosses(nowNs, progress);
        if (nowNs - lineNs >= LINE_EVERY_NS) {
            sayLine(nowNs, progress);
        }
    }

    private void lookAtBroker(long nowNs, long delivered, long acknowledged) {
        if (acknowledged != lastAcknowledged || acknowledged >= delivered) {
            if (isSilent) {
                log.log("broker at " + servers + " responds again after "
                        + Quantity.seconds(Duration.ofNanos(nowNs - answeredNs))
                        + "; no sent event was lost");
            }
            isSilent = false;
            lastAcknowledged = acknowledged;
            answeredNs = nowNs;
        } else if (!isSilent && nowNs - answeredNs >= SILENCE_NS) {
            isSilent = true;
            log.log("broker at " + servers + " does not respond: " + Quantity.count(delivered - acknowledged, "event")
                    + " are waiting; new hits stay in the ring buffer until it is full, then they are counted as"
                    + " lost");
        }
    }

    private void lookAtLosses(long nowNs, CollectionProgress progress) {
        long lost = progress.lostEvents();
        if (lost != lastLost) {
            if (!isLosing) {
                isLosing = true;
                lostBefore = lastLost;
                lossesBeganNs = nowNs;
                log.log("losses started: " + worst(progress.losses()));
            }
            lastLost = lost;
            lostNs = nowNs;
        } else if (isLosing && nowNs - lostNs >= NO_MORE_LOSSES_NS) {
            isLosing = false;
            log.log("losses ended: " + Quantity.count(lost - lostBefore, "hit") + " lost in "
                    + Quantity.seconds(Duration.ofNanos(lostNs - lossesBeganNs)));
        }
    }

    private void sayLine(long nowNs, CollectionProgress progress) {
        long events = progress.deliveredEvents() - lineEvents;
        long perSecond = Math.round(events * 1e9 / (nowNs - lineNs));
        log.log(Quantity.count(progress.deliveredEvents(), "event") + " so far (" + Quantity.count(perSecond) + "/s), "
                + Quantity.count(acknowledgedEvents.getAsLong()) + " acknowledged, "
                + Quantity.bytes(progress.publishedBytes()) + ", "
                + (progress.lostEvents() == 0 ? "none lost" : Quantity.count(progress.lostEvents()) + " LOST")
                // The thread that counts them waits until it can publish.
                + (isSilent ? "; hits that are lost now are counted when the broker responds" : ""));
        lineNs = nowNs;
        lineEvents = progress.deliveredEvents();
    }

    private static String worst(List<ProbeLoss> losses) {
        return losses.stream()
                .max(Comparator.comparingLong(ProbeLoss::count))
                .map(loss -> Quantity.count(loss.count(), "hit") + " of " + loss.probe() + " so far: "
                        + LossText.of(loss.reason()))
                .orElse("");
    }
}
