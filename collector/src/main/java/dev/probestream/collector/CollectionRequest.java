package dev.probestream.collector;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ProbeSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to collect, from whom and for how long.
 *
 * @param limit how long to record; empty = until stopped or until the targets are gone
 * @param followChildren whether processes that a target forks are targets too
 * @param ringSizeBytes size of the ring buffer, a power of two of at least one page
 * @param commandLine the command line that asked for this, kept in the Capture record
 * @param isLive whether events are shown while they happen: stacks are named and the publisher is flushed after every
 *     reading of the ring that had samples, instead of once a second
 * @param shown what is recorded as it is, although it may hold secrets; all else is masked before anything is published
 */
public record CollectionRequest(
        TargetSelection targets,
        List<ProbeSpec> probes,
        Optional<Duration> limit,
        boolean followChildren,
        int ringSizeBytes,
        List<String> commandLine,
        boolean isLive,
        Disclosure shown) {
    public CollectionRequest {
        probes = List.copyOf(probes);
        commandLine = List.copyOf(commandLine);
        if (Integer.bitCount(ringSizeBytes) != 1 || ringSizeBytes < 4096) {
            throw new IllegalArgumentException(
                    "ring size " + ringSizeBytes + " is not a power of two of at least 4096");
        }
    }

    /** A request whose events are not shown live, and that masks all that may be secret. */
    public CollectionRequest(
            TargetSelection targets,
            List<ProbeSpec> probes,
            Optional<Duration> limit,
            boolean followChildren,
            int ringSizeBytes,
            List<String> commandLine) {
        this(targets, probes, limit, followChildren, ringSizeBytes, commandLine, false, Disclosure.NONE);
    }

    /** The same request, with events shown while they happen. */
    public CollectionRequest live() {
        return new CollectionRequest(targets, probes, limit, followChildren, ringSizeBytes, commandLine, true, shown);
    }

    /** The same request, with this unmasked. */
    public CollectionRequest showing(Disclosure disclosure) {
        return new CollectionRequest(
                targets, probes, limit, followChildren, ringSizeBytes, commandLine, isLive, disclosure);
    }
}
