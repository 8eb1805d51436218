package dev.probestream.collector.request;

import dev.probestream.collector.cost.CostReading;
import dev.probestream.schema.record.Loss;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * How a collection ended.
 *
 * @param captureId of the capture, which its records carry
 * @param reason why it ended, in words for a person
 * @param deliveredEvents events published, open spans among them
 * @param losses what was counted as lost, summed by probe and reason (cpu is -1)
 * @param cost what the collection cost its targets
 * @param duration of the window in which all probes counted
 * @param misspelled probes that were asked for and are not in the library that the target has mapped, in words for the user
 * @param partlyHit of which sets some probes were hit and others not, a line each, in words for the user
 * @param commandStatus exit status of the command that was started, once it ended; empty otherwise
 */
public record CollectionOutcome(
        long captureId,
        String reason,
        long deliveredEvents,
        List<Loss> losses,
        CostReading cost,
        Duration duration,
        List<String> misspelled,
        List<String> partlyHit,
        OptionalInt commandStatus) {
    /** Copies the lists. */
    public CollectionOutcome {
        misspelled = List.copyOf(misspelled);
        partlyHit = List.copyOf(partlyHit);
        losses = List.copyOf(losses);
    }

    /** {@return hits that were not delivered} */
    public long lostEvents() {
        return losses.stream().mapToLong(Loss::getCount).sum();
    }
}
