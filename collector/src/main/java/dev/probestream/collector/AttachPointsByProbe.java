package dev.probestream.collector;

import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.resolve.UprobeLocation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The places of probes that were found in several processes and files, each place once. A function of another file is
 * another probe; a USDT probe, or a pair of them, is one by its name.
 */
final class AttachPointsByProbe {
    private final Map<String, ResolvedProbe> probes = new LinkedHashMap<>();
    private final Map<String, List<FoundProbe.Place>> places = new LinkedHashMap<>();
    private final Set<List<Object>> known = new HashSet<>();

    /** Notes them, and gives back those of a probe's places that are new, by the probe's key. */
    Map<String, List<FoundProbe.Place>> add(List<ResolvedProbe> found, int scopePid) {
        Map<String, List<FoundProbe.Place>> added = new LinkedHashMap<>();
        for (ResolvedProbe probe : found) {
            String key = key(probe);
            probes.putIfAbsent(key, probe);
            for (UprobeLocation location : probe.locations()) {
                if (known.add(List.of(key, scopePid, location.fileId(), location.fileOffset()))) {
                    added.computeIfAbsent(key, unused -> new ArrayList<>())
                            .add(new FoundProbe.Place(scopePid, location));
                }
            }
        }
        added.forEach((key, fresh) ->
                places.computeIfAbsent(key, unused -> new ArrayList<>()).addAll(fresh));
        return added;
    }

    private static String key(ResolvedProbe probe) {
        return switch (probe.spec().kind()) {
            case USDT -> probe.locations().get(0).symbol();
            case USDTSPAN -> probe.spec().function();
            case UPROBE, URETPROBE, SPAN, USER, TRACEPOINT, RAWTRACEPOINT, SYSCALLS, SCHED, PROFILE ->
                probe.module() + '\0' + probe.name();
        };
    }

    boolean isEmpty() {
        return places.isEmpty();
    }

    /** The probe as it was found first. */
    ResolvedProbe probe(String key) {
        ResolvedProbe probe = probes.get(key);
        if (probe == null) {
            throw new IllegalArgumentException("no probe " + key + " was found");
        }
        return probe;
    }

    void forEach(BiConsumer<String, List<FoundProbe.Place>> action) {
        places.forEach(action);
    }
}
