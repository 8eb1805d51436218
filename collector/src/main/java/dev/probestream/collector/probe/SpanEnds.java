package dev.probestream.collector.probe;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The two probes of a {@link ProbeKind#PAIR}, each with its own arguments and filter, and what pairs their hits.
 *
 * @param begin the probe at whose hit a span begins; an instant, and one probe: its name is no glob
 * @param end the probe at whose hit a span ends, likewise
 * @param keys the names of the arguments that both hits have equal, at most {@link #MAX_KEYS}; empty = the hits are of one
 *     thread
 */
public record SpanEnds(ProbeSpec begin, ProbeSpec end, List<String> keys) {
    /** So many values pair two hits at most. */
    public static final int MAX_KEYS = 4;

    /** What the name of an argument of the end begins with if the begin has one of this name. */
    public static final String END_PREFIX = "end_";

    /** Copies the list. */
    public SpanEnds {
        keys = List.copyOf(keys);
    }

    /** {@return whether values pair the hits, whichever threads they are on} */
    public boolean isByKey() {
        return !keys.isEmpty();
    }

    /**
     * {@return the arguments of the span: those of the begin, then those of the end, which are marked as read at the
     * return} Keys are equal at both ends, so that those of the end are left out.
     *
     * @param ofBegin the arguments that the begin records
     * @param ofEnd the arguments that the end records
     */
    public List<ArgumentSpec> arguments(List<ArgumentSpec> ofBegin, List<ArgumentSpec> ofEnd) {
        List<ArgumentSpec> all = new ArrayList<>(ofBegin);
        Set<String> names = new HashSet<>();
        ofBegin.forEach(argument -> names.add(argument.name()));
        for (ArgumentSpec argument : ofEnd) {
            if (!keys.contains(argument.name())) {
                String name = argument.name();
                while (!names.add(name)) {
                    name = END_PREFIX + name;
                }
                all.add(argument.named(name).readAtReturn(true));
            }
        }
        return all;
    }
}
