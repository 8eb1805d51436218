package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.VerifierException;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.find.LateProbeFinder;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.unseen.UnhitProbes;
import dev.probestream.collector.probe.ProbeArgumentException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Attaches the probes that {@link LateProbeFinder} finds in files that processes map while a capture or a count runs. For
 * the thread that reads or counts, which is held up as long as that takes.
 */
public final class LateAttachment implements AutoCloseable {
    /** More would not be read, and a capture can run for weeks. */
    private static final int MAX_WARNINGS = 100;

    private static final long NS_PER_MS = 1_000_000;

    private final KernelObjects kernel;
    private final Consumer<KernelObjects.LoadedProgram> loadedPrograms;
    private final LateProbeFinder late;
    private final Planner planner;
    private final List<PairingMap> pairingMaps = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Set<String> wrong = new LinkedHashSet<>();
    private int batches;

    /** Plans probes that were found late. */
    @FunctionalInterface
    public interface Planner {
        /**
         * The plan of these probes, which are attached next.
         *
         * @param batch counts the plans, from 1
         * @throws ProbeArgumentException when a probe lacks what its spec asks for
         */
        ProgramPlan plan(List<ResolvedProbe> found, int batch);
    }

    /** @param loadedPrograms takes each program that is loaded */
    public LateAttachment(
            KernelObjects kernel,
            Consumer<KernelObjects.LoadedProgram> loadedPrograms,
            LateProbeFinder late,
            Planner planner) {
        this.kernel = kernel;
        this.loadedPrograms = loadedPrograms;
        this.late = late;
        this.planner = planner;
    }

    /** Takes over what was loaded before the capture began. */
    public void begin(ProgramPlan plan) {
        pairingMaps.addAll(plan.pairingMaps());
    }

    /**
     * Attaches the probes of files that processes have mapped since the last look, if it is time for one.
     *
     * @param isTarget whether a process is one of those to be looked at
     * @param targets those that live
     */
    public void look(long nowNs, IntPredicate isTarget, Supplier<List<Integer>> targets) {
        if (!late.isTime(nowNs, isTarget)) {
            return;
        }
        List<ResolvedProbe> found = late.look(targets.get());
        if (!found.isEmpty()) {
            attach(found, late.mappedNs());
        }
        late.rest(nowNs, ClockReading.monotonicNowNs());
    }

    /** The maps of open spans. */
    public List<PairingMap> pairingMaps() {
        return List.copyOf(pairingMaps);
    }

    /** Warnings about probes that were found late, or never; complete when the capture has ended. */
    public List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        all.addAll(late.warnings());
        return all;
    }

    /**
     * Specs whose library was mapped and has no such function or USDT probe, or one without an argument that the spec asks
     * for; in words for the user.
     */
    public List<String> misspelled() {
        List<String> all = new ArrayList<>(late.misspelled());
        all.addAll(wrong);
        return all;
    }

    @Override
    public void close() {
        late.close();
    }

    private void attach(List<ResolvedProbe> found, OptionalLong mappedNs) {
        try {
            load(planner.plan(found, ++batches));
            found.stream()
                    .filter(probe ->
                            probe.spec().preset().attaching().announces().isEmpty())
                    .filter(probe -> !kernel.standsBy(probe.probeId()))
                    .forEach(probe -> warn(lateness(probe, mappedNs)));
        } catch (ProbeArgumentException e) {
            if (found.size() > 1) {
                found.forEach(probe -> attach(List.of(probe), mappedNs));
            } else {
                wrong.add(String.valueOf(e.getMessage()));
            }
        } catch (VerifierException | SyscallException e) {
            List<String> names =
                    found.stream().map(ResolvedProbe::name).distinct().toList();
            warn(UnhitProbes.list(names) + ": not attached when the file was mapped: " + e.getMessage());
        }
    }

    private void load(ProgramPlan more) {
        int refusedBefore = kernel.refused().size();
        try {
            kernel.add(more).forEach(loadedPrograms);
        } finally {
            // Also of what was attached before a failure: its open spans are to be read.
            more.pairingMaps().stream()
                    .filter(pairing -> kernel.hasMap(pairing.mapName()))
                    .forEach(pairingMaps::add);
        }
        List<RefusedAttachPoint> refused = kernel.refused();
        for (RefusedAttachPoint point : refused.subList(refusedBefore, refused.size())) {
            warn("the kernel would not probe " + point.attachPoint() + ": " + point.reason());
        }
    }

    private static String lateness(ResolvedProbe probe, OptionalLong mappedNs) {
        String file = probe.locations().isEmpty()
                ? "its file"
                : probe.locations().get(0).file().toString();
        String when = mappedNs.isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%.1f ms after",
                        (ClockReading.monotonicNowNs() - mappedNs.getAsLong()) / (double) NS_PER_MS)
                : "after";
        return probe.name() + " was attached " + when + " " + file + " was mapped; hits in between may be missing";
    }

    private void warn(String warning) {
        if (warnings.size() < MAX_WARNINGS) {
            warnings.add(warning);
        }
    }
}
