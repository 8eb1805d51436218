package dev.probestream.collector.internal.unseen;

import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Reports at the end of a capture which probes saw nothing: those that are attached nowhere, and those that were not
 * hit.
 */
public final class UnhitProbes {
    /** So many names in a line; the recording describes every probe that was attached. */
    private static final int MAX_NAMES = 10;

    private final Set<Integer> attachedNowhere;
    private final IntPredicate wasHit;

    /**
     * @param programs all that were attached
     * @param wasHit whether a hit of the probe of this id was delivered, or counted as lost
     */
    public UnhitProbes(List<PlannedProgram> programs, List<RefusedAttachPoint> refused, IntPredicate wasHit) {
        this.attachedNowhere = attachedNowhere(programs, refused);
        this.wasHit = wasHit;
    }

    private static Set<Integer> attachedNowhere(List<PlannedProgram> programs, List<RefusedAttachPoint> refused) {
        Set<List<Object>> points = new HashSet<>();
        refused.forEach(point -> points.add(
                List.of(point.attachPoint().file(), point.attachPoint().fileOffset())));
        Set<Integer> nowhere = new HashSet<>();
        Set<Integer> somewhere = new HashSet<>();
        programs.stream()
                .flatMap(program -> program.attachment().uprobes().stream())
                .forEach(uprobe -> {
                    UprobeLocation location = uprobe.location();
                    boolean isRefused = points.contains(List.<Object>of(location.file(), location.fileOffset()));
                    (isRefused ? nowhere : somewhere).add(uprobe.probeId());
                });
        nowhere.removeAll(somewhere);
        return nowhere;
    }

    /** A line for the probes that the user wrote, and one for all sets of which none was hit. */
    public List<String> lines(Collection<PlannedProbe> probes) {
        List<String> lines = new ArrayList<>();
        List<String> unhitSets = new ArrayList<>();
        bySet(probes).forEach((set, all) -> {
            List<String> nowhere = names(all.stream()
                    .filter(probe -> attachedNowhere.contains(probe.probeId()))
                    .toList());
            if (!nowhere.isEmpty()) {
                lines.add(label(set) + "attached nowhere, because the kernel refused it: " + list(nowhere));
            }
            List<PlannedProbe> unhit = unhit(all);
            if (isUsers(set) && !unhit.isEmpty()) {
                lines.add("attached, not hit: " + list(names(unhit)) + filterNote(unhit));
            } else if (!unhit.isEmpty() && unhit.size() == all.size()) {
                unhitSets.add(set + " (" + all.size() + (all.size() == 1 ? " probe)" : " probes)"));
            }
        });
        if (!unhitSets.isEmpty()) {
            lines.add("attached, not hit: all of " + String.join(", ", unhitSets));
        }
        return lines;
    }

    /** A line for each set of which some probes were hit, and others not. */
    public List<String> ofPartlyHitSets(Collection<PlannedProbe> probes) {
        List<String> lines = new ArrayList<>();
        bySet(probes).forEach((set, all) -> {
            List<PlannedProbe> unhit = unhit(all);
            if (!isUsers(set) && !unhit.isEmpty() && unhit.size() < all.size()) {
                lines.add(set + ": attached, not hit: " + unhit.size() + " of " + all.size() + " probes: "
                        + list(names(unhit)) + filterNote(unhit));
            }
        });
        return lines;
    }

    private static Map<String, List<PlannedProbe>> bySet(Collection<PlannedProbe> probes) {
        Map<String, List<PlannedProbe>> bySet = new LinkedHashMap<>();
        probes.forEach(probe -> bySet.computeIfAbsent(probe.spec().preset().category(), unused -> new ArrayList<>())
                .add(probe));
        return bySet;
    }

    private List<PlannedProbe> unhit(List<PlannedProbe> probes) {
        return probes.stream()
                .filter(probe -> !attachedNowhere.contains(probe.probeId()) && !wasHit.test(probe.probeId()))
                .toList();
    }

    private static String filterNote(List<PlannedProbe> unhit) {
        boolean hasFilter = unhit.stream()
                .flatMap(probe -> probe.spec().attached().stream())
                .anyMatch(spec -> spec.filter().isPresent());
        return hasFilter ? " (a hit that a filter rejects does not count)" : "";
    }

    private static List<String> names(List<PlannedProbe> probes) {
        return probes.stream().map(UnhitProbes::name).distinct().toList();
    }

    /** The spec of a user without its arguments; the name of a set's probe. */
    private static String name(PlannedProbe probe) {
        ProbeSpec spec = probe.spec();
        if (!isUsers(spec.preset().category())) {
            return probe.name();
        }
        if (spec.kind() == ProbeKind.PAIR) {
            return ProbeKind.PAIR.spelling() + "(" + probe.name() + ")";
        }
        boolean isInFile = spec.kind().isInUserSpace();
        String file = isInFile ? String.valueOf(Path.of(probe.module()).getFileName()) + ":" : "";
        return spec.kind().spelling() + ":" + file + probe.name();
    }

    /** How a line about the probes of a set begins. */
    public static String label(String set) {
        return isUsers(set) ? "" : set + ": ";
    }

    /** Names as words, cut to a few. */
    public static String list(List<String> names) {
        int rest = names.size() - MAX_NAMES;
        return rest <= 0
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MAX_NAMES)) + " and " + rest + " more";
    }

    private static boolean isUsers(String set) {
        return set.equals(PresetTraits.USER_CATEGORY);
    }
}
