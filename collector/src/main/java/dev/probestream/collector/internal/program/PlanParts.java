package dev.probestream.collector.internal.program;

import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.WindowCode;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The parts of a {@link ProgramPlan} while it is built. */
final class PlanParts {
    /** An instruction reaches 32 KiB behind a register. */
    private static final int MAX_SAMPLE_BYTES = 30_000;

    /** What a map of open spans may take of the kernel's memory. */
    private static final long MAX_OPEN_SPANS_BYTES = 32L << 20;

    private static final int MIN_OPEN_SPANS = 256;

    final ProgramOptions options;
    final List<MapSpec> maps = new ArrayList<>();
    final List<PlannedProgram> programs = new ArrayList<>();
    final List<PlannedProbe> probes = new ArrayList<>();
    final List<PairingMap> pairingMaps = new ArrayList<>();
    Optional<PlannedSyscalls> syscalls = Optional.empty();
    Optional<ResolvedProbe> summedSched = Optional.empty();
    /** Size of the largest value that is begun as zeros; 0 = there is none. */
    int zeroSizeBytes;

    private final String mapSuffix;

    /** @param mapSuffix makes the names of maps of open spans unique among the plans of one capture */
    PlanParts(ProgramOptions options, String mapSuffix) {
        this.options = options;
        this.mapSuffix = mapSuffix;
    }

    /**
     * Adds the map of the open spans of probes that record alike.
     *
     * @param first of the probes, by its id
     * @param keySizeBytes of its keys
     * @param valueSizeBytes of its values
     * @return its name
     */
    String addOpenSpans(ResolvedProbe first, int keySizeBytes, int valueSizeBytes, Entries entries) {
        String map = "open_" + first.probeId() + mapSuffix;
        long fitting = Math.max(MIN_OPEN_SPANS, MAX_OPEN_SPANS_BYTES / valueSizeBytes);
        maps.add(MapSpec.hash(map, keySizeBytes, valueSizeBytes, (int) Math.min(options.maxOpenSpans(), fitting)));
        pairingMaps.add(
                new PairingMap(map, valueSizeBytes, first.spec().preset().category(), entries));
        return map;
    }

    /**
     * {@link MapNames#PHASES} is used for probes of this category. It belongs to the first plan of a capture, whose programs
     * give up what a thread has in it when the thread ends.
     */
    void withPhases(String category) {
        zeroSizeBytes = Math.max(zeroSizeBytes, PhasesLayout.SIZE_BYTES);
        if (!mapSuffix.isEmpty()) {
            return;
        }
        if (pairingMaps.stream().noneMatch(PlanParts::isOfPhases)) {
            int room = Math.min(options.maxOpenSpans(), PhasesLayout.MAX_THREADS);
            maps.add(MapSpec.hash(MapNames.PHASES, Integer.BYTES, PhasesLayout.SIZE_BYTES, room));
            pairingMaps.add(new PairingMap(MapNames.PHASES, PhasesLayout.SIZE_BYTES, category, Entries.CALLS));
        }
        pairingMaps.replaceAll(pairing -> isOfPhases(pairing) ? pairing.with(category) : pairing);
    }

    private static boolean isOfPhases(PairingMap pairing) {
        return pairing.mapName().equals(MapNames.PHASES);
    }

    void add(ResolvedProbe probe, List<ArgumentSpec> arguments, EventLayout layout) {
        probes.add(new PlannedProbe(probe.probeId(), probe.spec(), probe.name(), probe.module(), arguments, layout));
    }

    /** The layout of the samples of a probe with these arguments. */
    EventLayout layout(ProbeSpec spec, List<ArgumentSpec> arguments) {
        EventLayout layout = EventLayout.of(kind(spec), arguments, spec.result(), stackDepths(spec));
        if (layout.sizeBytes() > MAX_SAMPLE_BYTES) {
            throw new ProbeArgumentException(
                    spec, "a sample of " + layout.sizeBytes() + " bytes is too large; give its strings less room");
        }
        return layout;
    }

    /** The depths of the stacks that a probe asks for. */
    StackDepths stackDepths(ProbeSpec spec) {
        StackDepths depths = spec.kind() == ProbeKind.PROFILE
                ? StackDepths.DEEPEST.withJavaScript(options.recordsJavaScript())
                : options.stackDepths();
        return depths.of(spec.stack());
    }

    private static EventKind kind(ProbeSpec spec) {
        if (spec.counter()) {
            return EventKind.COUNTER;
        }
        return spec.kind().isSpan() ? EventKind.SPAN : EventKind.INSTANT;
    }

    ProgramPlan plan() {
        probes.sort(Comparator.comparingInt(PlannedProbe::probeId));
        List<PlannedProgram> all = programs.stream().map(this::inWindow).toList();
        return new ProgramPlan(maps, all, probes, syscalls, summedSched, pairingMaps, options.windows());
    }

    /** Processes and threads are followed from the attaching on, so that those of the window are known. */
    private PlannedProgram inWindow(PlannedProgram planned) {
        if (planned.probeIds().isEmpty()) {
            return planned;
        }
        Optional<PresetTraits> traits = traits(planned.probeIds().get(0));
        ProgramSpec program = planned.program();
        String category = traits.map(PresetTraits::category).orElse("");
        int offset = options.windows().offset(category);
        return new PlannedProgram(
                program.withInstructions(WindowCode.before(program.instructions(), offset)),
                planned.attachment(),
                planned.probeIds(),
                planned.isSpanReturn(),
                category,
                traits.map(PresetTraits::attaching).orElse(Attaching.AT_START));
    }

    private Optional<PresetTraits> traits(int probeId) {
        return syscalls.filter(calls -> calls.covers(probeId))
                .map(PlannedSyscalls::spec)
                .or(() -> probes.stream()
                        .filter(probe -> probe.probeId() == probeId)
                        .map(PlannedProbe::spec)
                        .findFirst())
                .map(ProbeSpec::preset);
    }
}
