package dev.probestream.convert.intake;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;

/**
 * Decides for each event of a capture, in the order of the file, how it comes into the order of time. Both readings ask
 * it and, being fed the same, get the same answers.
 *
 * <p>Spans are recorded when they end, so a parent comes after its children, and one that lasts long comes long after
 * them. The second pass holds back two batches of events and, each time a batch is full, lets everything go that
 * starts up to the horizon: the latest start of all batches but the last one. A span that starts at or before the
 * horizon in force when it is read outlasts what is held back; such spans are few (each covers a whole batch), so the
 * first pass keeps them, and the second knows them before it meets them. The same goes for spans that never ended.
 */
public final class Intake {
    static final int BATCH_EVENTS = 1 << 16;
    static final int BATCH_BYTES = 4 << 20;

    public enum Place {
        /** Not selected. */
        OUTSIDE,
        /** Kept by the first pass. */
        AHEAD,
        /** To be put into the batch by the second pass. */
        BATCH
    }

    private final EventExtent extent;
    private final AheadBudget budget;

    private int batchEvents;
    private int batchBytes;
    private long latestStartNs = Long.MIN_VALUE;
    private long latestStartBeforeBatchNs = Long.MIN_VALUE;
    private long horizonNs = Long.MIN_VALUE;

    public Intake(Window window, AheadBudget budget, long clockShiftNs) {
        this.extent = new EventExtent(window, clockShiftNs);
        this.budget = budget;
    }

    public Place place(EventView event) {
        if (!extent.isSelected(event)) {
            return Place.OUTSIDE;
        }
        boolean isSpan = event.kind() == EventKind.SPAN || event.kind() == EventKind.OPEN_SPAN;
        boolean outlasts = extent.startNs() <= horizonNs || extent.isOpen();
        return isSpan && outlasts && budget.take(event.lengthBytes()) ? Place.AHEAD : Place.BATCH;
    }

    /** Of the event placed last, on the trace's clock. */
    public long startNs() {
        return extent.startNs();
    }

    /** Of the event placed last; {@link EventBatch#OPEN} if it has not ended. */
    public long endNs() {
        return extent.endNs();
    }

    /** Counts the event placed last into the batch; true = the batch is full, and the horizon has moved. */
    public boolean fillsBatch(EventView event) {
        latestStartNs = Math.max(latestStartNs, extent.startNs());
        batchEvents++;
        batchBytes += event.lengthBytes();
        if (batchEvents < BATCH_EVENTS && batchBytes < BATCH_BYTES) {
            return false;
        }
        batchEvents = 0;
        batchBytes = 0;
        horizonNs = latestStartBeforeBatchNs;
        latestStartBeforeBatchNs = latestStartNs;
        return true;
    }

    /** Everything that starts up to here can go. */
    public long horizonNs() {
        return horizonNs;
    }
}
