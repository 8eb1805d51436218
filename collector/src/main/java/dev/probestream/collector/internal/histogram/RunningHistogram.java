package dev.probestream.collector.internal.histogram;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.HistogramPlan;
import dev.probestream.collector.internal.program.HistogramPlan.ResolvedHistogram;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * One histogram of a running count: the probes that its spec was resolved to so far, and the layout of its map, which is
 * made with the first of them.
 */
public final class RunningHistogram implements AutoCloseable {
    private final HistogramSpec spec;
    private final String mapName;
    private final Map<Integer, ResolvedProbe> probes = new TreeMap<>();
    private Optional<HistogramLayout> layout = Optional.empty();
    private Optional<HistogramSums> sums = Optional.empty();

    private RunningHistogram(HistogramSpec spec, String mapName) {
        this.spec = spec;
        this.mapName = mapName;
    }

    public static List<RunningHistogram> of(List<HistogramSpec> specs) {
        List<RunningHistogram> histograms = new ArrayList<>();
        for (HistogramSpec spec : specs) {
            histograms.add(new RunningHistogram(spec, "hist_" + (histograms.size() + 1)));
        }
        return histograms;
    }

    /**
     * Gives each probe to its histogram. Several histograms of one spec find each probe once each, in their order.
     *
     * @param hasMap whether the kernel has the map of this name
     * @return the histograms that got any, with these only, to be planned
     */
    public static List<ResolvedHistogram> assign(
            List<RunningHistogram> histograms, List<ResolvedProbe> found, Predicate<String> hasMap) {
        Map<RunningHistogram, List<ResolvedProbe>> assigned = new LinkedHashMap<>();
        for (ResolvedProbe probe : found) {
            RunningHistogram owner = histograms.stream()
                    .filter(histogram -> histogram.probes.containsKey(probe.probeId()))
                    .findFirst()
                    .or(() -> histograms.stream()
                            .filter(histogram -> histogram.lacks(probe))
                            .findFirst())
                    .orElseThrow();
            owner.probes.put(probe.probeId(), probe);
            assigned.computeIfAbsent(owner, unused -> new ArrayList<>()).add(probe);
        }
        return assigned.entrySet().stream()
                .map(each -> each.getKey().resolved(each.getValue(), hasMap))
                .toList();
    }

    /** Notes the layouts of the histograms that were planned. */
    public static void planned(List<RunningHistogram> histograms, HistogramPlan plan) {
        for (HistogramLayout layout : plan.histograms()) {
            histograms.stream()
                    .filter(histogram -> histogram.mapName.equals(layout.mapName()))
                    .forEach(histogram -> histogram.layout = Optional.of(layout));
        }
    }

    public HistogramSpec spec() {
        return spec;
    }

    public Set<Integer> probeIds() {
        return probes.keySet();
    }

    /** Where the stacks of its hits lie in their samples; empty if it has none. */
    public Optional<HistogramStackLayout> stackLayout() {
        return layout.flatMap(HistogramLayout::stack);
    }

    /** What was counted so far; nothing while there is no probe. */
    public List<HistogramTable.Row> read(KernelObjects kernel, Optional<HistogramStacks> stacks) {
        if (layout.isEmpty() || !kernel.hasMap(mapName)) {
            return List.of();
        }
        Map<Integer, String> names = new TreeMap<>();
        probes.forEach((id, probe) -> names.put(id, probe.name()));
        if (sums.isEmpty()) {
            sums = layout.get()
                    .sums()
                    .map(each -> new HistogramSums(each, layout.get().value().isSigned(), kernel.map(each.sumsMap())));
        }
        return new HistogramReader(layout.get(), names, spec.textBytes(), stacks).read(kernel.map(mapName), sums);
    }

    @Override
    public void close() {
        sums.ifPresent(HistogramSums::close);
    }

    private boolean lacks(ResolvedProbe probe) {
        return spec.probe().text().equals(probe.spec().text())
                && probes.values().stream()
                        .noneMatch(known -> known.name().equals(probe.name())
                                && known.module().equals(probe.module()));
    }

    private ResolvedHistogram resolved(List<ResolvedProbe> added, Predicate<String> hasMap) {
        return new ResolvedHistogram(spec, mapName, added, layout.filter(known -> hasMap.test(mapName)));
    }
}
