package dev.probestream.sink;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * The part of the topic's history that is extracted.
 *
 * @param captures the captures wanted; empty = all
 * @param from events that end before it are left out; empty = from the first the topic still has
 * @param to events that begin at it or later are left out; empty = to the end the topic has when the sink starts
 */
public record IncidentWindow(Set<Long> captures, Optional<Instant> from, Optional<Instant> to) {
    /** The whole topic. */
    public static final IncidentWindow ALL = new IncidentWindow(Set.of(), Optional.empty(), Optional.empty());

    public IncidentWindow {
        captures = Set.copyOf(captures);
        if (from.isPresent() && to.isPresent() && !from.get().isBefore(to.get())) {
            throw new IllegalArgumentException("a window from " + from.get() + " to " + to.get() + " is empty");
        }
    }
}
