package dev.probestream.collector;

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
 * @param isLive whether somebody looks on: after every reading of the ring that brought something the stacks are named
 *     and the publisher is flushed, instead of once a second
 */
public record CollectionRequest(
        TargetSelection targets,
        List<ProbeSpec> probes,
        Optional<Duration> limit,
        boolean followChildren,
        int ringSizeBytes,
        List<String> commandLine,
        boolean isLive) {
    public CollectionRequest {
        probes = List.copyOf(probes);
        commandLine = List.copyOf(commandLine);
        if (Integer.bitCount(ringSizeBytes) != 1 || ringSizeBytes < 4096) {
            throw new IllegalArgumentException(
                    "ring size " + ringSizeBytes + " is not a power of two of at least 4096");
        }
    }

    /** A request that nobody looks on at. */
    public CollectionRequest(
            TargetSelection targets,
            List<ProbeSpec> probes,
            Optional<Duration> limit,
            boolean followChildren,
            int ringSizeBytes,
            List<String> commandLine) {
        this(targets, probes, limit, followChildren, ringSizeBytes, commandLine, false);
    }

    /** The same for somebody who looks on. */
    public CollectionRequest live() {
        return new CollectionRequest(targets, probes, limit, followChildren, ringSizeBytes, commandLine, true);
    }
}
