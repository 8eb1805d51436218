package dev.probestream.collector.internal.cost;

import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** How many probes share a trap: the kernel has one breakpoint for all programs at an instruction, and one return trap. */
final class SharedTraps {
    private final Map<Place, Set<Integer>> probesByPlace = new HashMap<>();
    private final Map<Integer, Set<Place>> entriesByProbe = new HashMap<>();
    private final Map<Integer, Set<Place>> returnsByProbe = new HashMap<>();

    private record Place(FileId file, long fileOffset, boolean isReturn) {}

    void add(PlannedProgram planned) {
        boolean isReturn = planned.attachment().kind() == PlannedProgram.Attachment.Kind.USER_RETURN;
        for (Uprobe uprobe : planned.attachment().uprobes()) {
            add(uprobe, false);
            if (isReturn) {
                add(uprobe, true);
            }
        }
    }

    private void add(Uprobe uprobe, boolean isReturn) {
        Place place = new Place(uprobe.location().fileId(), uprobe.location().fileOffset(), isReturn);
        probesByPlace.computeIfAbsent(place, unused -> new HashSet<>()).add(uprobe.probeId());
        (isReturn ? returnsByProbe : entriesByProbe)
                .computeIfAbsent(uprobe.probeId(), unused -> new HashSet<>())
                .add(place);
    }

    /** The part of its traps that a probe has to answer for: 1 when it shares none. */
    double share(int probeId, boolean isReturn) {
        return (isReturn ? returnsByProbe : entriesByProbe)
                .getOrDefault(probeId, Set.of()).stream()
                        .mapToDouble(place -> 1.0 / probesByPlace.get(place).size())
                        .average()
                        .orElse(1);
    }
}
