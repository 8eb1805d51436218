package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.PlannedProgram;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Attaches the probes that await what another probe announces ({@link
 * dev.probestream.collector.probe.PresetTraits.Attaching}), when its first hit has been read. For the thread that reads the
 * ring.
 */
final class AwaitedProbes {
    private static final double NS_PER_SECOND = 1e9;

    private final KernelObjects kernel;
    private final List<String> warnings = new ArrayList<>();
    /** What has been announced, each with the time of the first hit. */
    private final Map<String, Long> announced = new LinkedHashMap<>();
    /** How many of them have been dealt with. */
    private int attached;

    AwaitedProbes(KernelObjects kernel) {
        this.kernel = kernel;
    }

    /** A probe that announces this was hit; what awaits it is attached by {@link #attach}. */
    void announced(String name, long atNs) {
        if (!announced.containsKey(name)) {
            announced.put(name, atNs);
        }
    }

    /**
     * Attaches what has been announced since the last call; to be called when the ring has been read.
     *
     * @param startNs when the capture began
     */
    void attach(long startNs) {
        if (attached == announced.size()) {
            return;
        }
        announced.entrySet().stream().skip(attached).forEach(each -> attach(each.getKey(), each.getValue() - startNs));
        attached = announced.size();
    }

    private void attach(String name, long afterNs) {
        int refusedBefore = kernel.refused().size();
        try {
            List<PlannedProgram> programs = kernel.announce(name);
            if (!programs.isEmpty()) {
                warnings.add(since(name, afterNs) + attached(programs));
            }
        } catch (SyscallException e) {
            warnings.add(since(name, afterNs) + "the probes for it were not attached: " + e.getMessage());
        }
        List<RefusedAttachPoint> refused = kernel.refused();
        refused.subList(refusedBefore, refused.size())
                .forEach(point ->
                        warnings.add("the kernel would not probe " + point.attachPoint() + ": " + point.reason()));
    }

    private static String since(String name, long afterNs) {
        return String.format(Locale.ROOT, "%s is used since %.1f s: ", name, afterNs / NS_PER_SECOND);
    }

    private static String attached(List<PlannedProgram> programs) {
        long count = programs.stream()
                .flatMap(program -> program.probeIds().stream())
                .distinct()
                .count();
        String sets = programs.stream().map(PlannedProgram::category).distinct().collect(Collectors.joining(", "));
        return count == 1
                ? "1 probe of " + sets + " was attached; what came before is not seen by it"
                : count + " probes of " + sets + " were attached; what came before is not seen by them";
    }

    /** What was attached later than the rest, and what could not be. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }
}
