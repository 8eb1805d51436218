package dev.probestream.collector.probe;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A probe whose hits are those of several probes in the recording: one place in a program where many things are done,
 * distinguished by a number that each hit has. It costs the target one trap, and a reader sees a separate probe for
 * each thing, with the arguments that it has. A hit with another number is one of the probe itself.
 *
 * @param selector index of the argument that distinguishes the cases
 * @param returned index of the argument that is the returned value of each case; -1 = none
 * @param byValue the cases by the selector's value; empty = there are none
 */
public record ProbeCases(int selector, int returned, Map<Long, Case> byValue) {
    /** The greatest number that selects a case: the cases are in an array. */
    public static final int MAX_VALUE = 255;

    /** An ordinary probe. */
    public static final ProbeCases NONE = new ProbeCases(-1, -1, Map.of());

    /**
     * One of the probes.
     *
     * @param index from 0; its id is that of the probe itself plus one plus this
     * @param name in the recording
     * @param arguments what it records, described
     * @param sources for each of them the index of the argument of the probe itself that it is
     * @param result the returned value, if there is one
     */
    public record Case(
            int index, String name, List<ArgumentSpec> arguments, List<Integer> sources, Optional<ReturnSpec> result) {
        /** Copies the lists. */
        public Case {
            arguments = List.copyOf(arguments);
            sources = List.copyOf(sources);
        }
    }

    /** Copies the map. */
    public ProbeCases {
        if (byValue.keySet().stream().anyMatch(value -> value < 0 || value > MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "a number of a case is not within 0 and " + MAX_VALUE + ": " + byValue.keySet());
        }
        byValue = Map.copyOf(byValue);
    }
}
