package dev.probestream.collector.request;

import dev.probestream.collector.cost.CostReading;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/**
 * How a collection goes at a moment.
 *
 * @param deliveredEvents events published so far
 * @param lostEvents hits counted as lost so far; the sum of {@code losses}
 * @param losses the same by probe and reason
 * @param publishedBytes bytes that left for the medium so far
 * @param waitingBytes of the ring buffer that is not read yet
 * @param cost what the collection has cost its targets so far; not older than a second
 * @param notices what a user should know at once, a sentence each; none comes twice
 */
public record CollectionProgress(
        long deliveredEvents,
        long lostEvents,
        List<ProbeLoss> losses,
        long publishedBytes,
        long waitingBytes,
        CostReading cost,
        List<String> notices) {
    /** Copies the lists. */
    public CollectionProgress {
        losses = List.copyOf(losses);
        notices = List.copyOf(notices);
    }

    /**
     * Hits of probes of one name that were lost for one reason.
     *
     * @param probe the name as in the Probe record
     * @param reason why they were lost
     * @param count how many
     */
    public record ProbeLoss(String probe, LossReason reason, long count) {}

    /** Receives the progress of a collection a few times a second; called by the collecting thread, so it must be quick. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Takes the progress at a moment.
         *
         * @param progress the numbers so far
         */
        void progress(CollectionProgress progress);
    }
}
