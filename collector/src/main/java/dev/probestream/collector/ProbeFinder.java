package dev.probestream.collector;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.program.NumberedProbe;
import dev.probestream.collector.resolve.ResolveException;
import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.resolve.Resolver;
import dev.probestream.collector.resolve.Target;
import dev.probestream.collector.resolve.Tracefs;
import dev.probestream.collector.resolve.TracepointFormat;
import dev.probestream.collector.resolve.UprobeLocation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the specs of a request mean in the watched processes, and numbers it from 1. What an optional spec asks for
 * and no process has is skipped and named once.
 */
final class ProbeFinder {
    static final String KERNEL = "kernel";

    private final Watch watch;
    private final List<FoundProbe> found = new ArrayList<>();
    private final Map<String, Set<String>> skippedByCategory = new LinkedHashMap<>();
    private @Nullable ResolveException firstSkip;
    private int nextId = 1;

    ProbeFinder(Watch watch) {
        this.watch = watch;
    }

    /** All probes, by ascending id. */
    List<FoundProbe> found() {
        return List.copyOf(found);
    }

    /** What was skipped, a line for each preset. */
    List<String> notices() {
        List<String> notices = new ArrayList<>();
        skippedByCategory.forEach((category, functions) ->
                notices.add(category + ": not in this target, skipped: " + String.join(", ", functions)));
        return notices;
    }

    /**
     * Looks for everything.
     *
     * @throws ResolveException when a spec that is not optional cannot be found, or nothing at all is left
     */
    void find(List<ProbeSpec> specs) throws ResolveException {
        try (Resolver resolver = new Resolver()) {
            for (ProbeSpec spec : specs) {
                switch (spec.kind()) {
                    case UPROBE, URETPROBE, SPAN, USDT, USER -> userFunction(resolver, spec);
                    case TRACEPOINT -> tracepoints(spec);
                    case RAWTRACEPOINT, SYSCALLS, SCHED -> kernel(spec, Optional.empty());
                }
            }
        }
        if (found.isEmpty() && firstSkip != null) {
            throw firstSkip;
        }
    }

    private void tracepoints(ProbeSpec spec) throws ResolveException {
        for (TracepointFormat format : Tracefs.open().formats(spec)) {
            kernel(spec.resolvedTo(format.name()), Optional.of(format));
        }
    }

    private void kernel(ProbeSpec spec, Optional<TracepointFormat> format) {
        String event = spec.kind() == ProbeKind.TRACEPOINT ? spec.module() + ":" + spec.function() : spec.function();
        add(spec, format, spec.displayName(event.isEmpty() ? spec.kind().spelling() : event), KERNEL, List.of());
    }

    private void userFunction(Resolver resolver, ProbeSpec spec) throws ResolveException {
        Map<String, List<FoundProbe.Place>> places = new LinkedHashMap<>();
        Map<String, ResolvedProbe> probes = new LinkedHashMap<>();
        @Nullable ResolveException missing = null;
        for (Target target : watch.targets()) {
            try {
                for (ResolvedProbe probe : resolver.resolve(spec, target)) {
                    String key = probe.module() + '\0' + probe.name();
                    probes.putIfAbsent(key, probe);
                    List<FoundProbe.Place> known = places.computeIfAbsent(key, unused -> new ArrayList<>());
                    for (UprobeLocation location : probe.locations()) {
                        place(known, new FoundProbe.Place(watch.uprobeScope(target), location));
                    }
                }
            } catch (ResolveException e) {
                missing = e;
            }
        }
        if (probes.isEmpty() && missing != null) {
            skip(spec, missing);
        }
        probes.forEach((key, probe) ->
                add(spec, Optional.empty(), probe.name(), probe.module(), places.getOrDefault(key, List.of())));
    }

    /** Processes that run one file share its places when uprobes are not limited to a process. */
    private static void place(List<FoundProbe.Place> known, FoundProbe.Place place) {
        boolean isKnown = known.stream()
                .anyMatch(other -> other.scopePid() == place.scopePid()
                        && other.location().fileId().equals(place.location().fileId())
                        && other.location().fileOffset() == place.location().fileOffset());
        if (!isKnown) {
            known.add(place);
        }
    }

    private void skip(ProbeSpec spec, ResolveException missing) throws ResolveException {
        if (!spec.optional() || missing.reason() != ResolveException.Reason.NO_FUNCTION) {
            throw missing;
        }
        if (firstSkip == null) {
            firstSkip = missing;
        }
        skippedByCategory
                .computeIfAbsent(spec.category(), unused -> new LinkedHashSet<>())
                .add(spec.function());
    }

    private void add(
            ProbeSpec spec,
            Optional<TracepointFormat> format,
            String name,
            String module,
            List<FoundProbe.Place> places) {
        found.add(new FoundProbe(new NumberedProbe(nextId, spec, format), name, module, places));
        nextId += NumberedProbe.idCount(spec.kind());
    }
}
