package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which instructions have breakpoints, and how many probes share one: the kernel has one for all programs at an
 * instruction, and one return trap. Each of the probes has its part of the price.
 */
final class UprobeTraps {
    private final Map<Place, Set<Integer>> probesByPlace = new HashMap<>();
    private final Map<Place, Site> siteByPlace = new HashMap<>();
    private final Map<Integer, Set<Place>> entriesByProbe = new HashMap<>();
    private final Map<Integer, Set<Place>> returnsByProbe = new HashMap<>();

    private record Place(FileId file, long fileOffset, boolean isReturn) {
        static Place of(UprobeLocation location, boolean isReturn) {
            return new Place(location.fileId(), location.fileOffset(), isReturn);
        }
    }

    /** A program that announces something has no part: it is gone soon, and those that then share its instruction stay. */
    void add(PlannedProgram planned) {
        if (!planned.attaching().announces().isEmpty()) {
            return;
        }
        boolean isReturn = planned.attachment().kind() == PlannedProgram.Attachment.Kind.USER_RETURN;
        for (Uprobe uprobe : planned.attachment().uprobes()) {
            add(uprobe, false);
            if (isReturn) {
                add(uprobe, true);
            }
        }
    }

    /** Notes how the kernel executes an instruction; without that it is taken for one that it emulates. */
    void note(UprobeLocation location, Site site) {
        siteByPlace.put(Place.of(location, false), site);
    }

    private void add(Uprobe uprobe, boolean isReturn) {
        Place place = Place.of(uprobe.location(), isReturn);
        probesByPlace.computeIfAbsent(place, unused -> new HashSet<>()).add(uprobe.probeId());
        (isReturn ? returnsByProbe : entriesByProbe)
                .computeIfAbsent(uprobe.probeId(), unused -> new HashSet<>())
                .add(place);
    }

    /** The part of its breakpoints that a probe has to answer for, per hit. */
    double entryNs(int probeId, TrapPrices prices) {
        return entriesByProbe.getOrDefault(probeId, Set.of()).stream()
                .mapToDouble(place -> prices.at(siteByPlace.getOrDefault(place, Site.PUSH)) * share(place))
                .average()
                .orElse(prices.entryNs());
    }

    /** The same of its return traps. */
    double returnNs(int probeId, TrapPrices prices) {
        return prices.returnNs()
                * returnsByProbe.getOrDefault(probeId, Set.of()).stream()
                        .mapToDouble(this::share)
                        .average()
                        .orElse(1);
    }

    private double share(Place place) {
        return 1.0 / probesByPlace.getOrDefault(place, Set.of(0)).size();
    }
}
