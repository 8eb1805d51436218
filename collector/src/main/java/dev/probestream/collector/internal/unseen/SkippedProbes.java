package dev.probestream.collector.internal.unseen;

import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.resolve.FittingSets;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The probes of presets that no process has, and which presets would fit better if one has nothing of a preset at all. */
public final class SkippedProbes {
    private final Map<String, Set<String>> functionsByCategory = new LinkedHashMap<>();
    private final Set<String> absent = new LinkedHashSet<>();
    private Optional<String> advice = Optional.empty();

    public void add(ProbeSpec spec) {
        functionsByCategory
                .computeIfAbsent(spec.preset().category(), unused -> new LinkedHashSet<>())
                .add(spec.function());
    }

    /**
     * Ends the search.
     *
     * @param found categories that have a probe, or may still get one
     * @throws ResolveException when nothing at all was found
     */
    public void conclude(Set<String> found, Resolver resolver, List<Target> targets) throws ResolveException {
        absent.addAll(functionsByCategory.keySet());
        absent.removeAll(found);
        if (absent.isEmpty()) {
            return;
        }
        FittingSets sets = new FittingSets(resolver, targets);
        if (found.isEmpty()) {
            throw sets.nothingOf(absent);
        }
        advice = Optional.of(sets.advice());
    }

    /** A line for each preset that lacks something, and the advice. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        functionsByCategory.forEach((category, functions) -> warnings.add(category + ": not in this target, skipped: "
                + (absent.contains(category) ? "all of it" : String.join(", ", functions))));
        advice.ifPresent(warnings::add);
        return warnings;
    }
}
