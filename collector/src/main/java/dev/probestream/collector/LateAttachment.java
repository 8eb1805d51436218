package dev.probestream.collector;

import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.VerifierException;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.event.EventDecoder;
import dev.probestream.collector.event.LossCounter;
import dev.probestream.collector.event.ProbeRecords;
import dev.probestream.collector.program.PlannedProbe;
import dev.probestream.collector.program.ProgramPlan;
import dev.probestream.collector.program.ProgramPlan.PairingMap;
import dev.probestream.collector.program.ProgramPlanner;
import dev.probestream.collector.program.code.PlannedSyscalls;
import dev.probestream.collector.program.layout.ProbeArgumentException;
import dev.probestream.collector.program.options.ProgramOptions;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.unseen.UnhitProbes;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The probes of a running capture: each is described before its first event, and those that {@link LateProbeFinder} finds are
 * planned, loaded and attached. For the reading thread, which is held up as long as that takes.
 */
final class LateAttachment implements AutoCloseable {
    /** More would not be read, and a capture can run for weeks. */
    private static final int MAX_WARNINGS = 100;

    private static final long NS_PER_MS = 1_000_000;

    private final long captureId;
    private final KernelObjects kernel;
    private final ProgramOptions options;
    private final EventPublisher publisher;
    private final EventDecoder decoder;
    private final LossCounter losses;
    private final LossSums lossSums;
    private final LateProbeFinder late;
    private final Map<Integer, PlannedProbe> described = new TreeMap<>();
    private final List<PairingMap> pairingMaps = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private Optional<PlannedSyscalls> syscalls = Optional.empty();
    private int batches;

    LateAttachment(
            long captureId,
            KernelObjects kernel,
            ProgramOptions options,
            EventPublisher publisher,
            EventDecoder decoder,
            LossCounter losses,
            LossSums lossSums,
            LateProbeFinder late) {
        this.captureId = captureId;
        this.kernel = kernel;
        this.options = options;
        this.publisher = publisher;
        this.decoder = decoder;
        this.losses = losses;
        this.lossSums = lossSums;
        this.late = late;
    }

    /** Takes over what was loaded before the capture began. */
    void begin(ProgramPlan plan) {
        pairingMaps.addAll(plan.pairingMaps());
        syscalls = plan.syscalls();
        describe(plan);
    }

    /** Attaches the probes of files that these processes have mapped since the last look, if it is time for one. */
    void look(long nowNs, ProcessRegistry processes) {
        if (!late.isTime(nowNs, processes::lives)) {
            return;
        }
        List<ResolvedProbe> found = late.look(processes.livingPids());
        if (!found.isEmpty()) {
            try {
                OptionalLong mappedNs = late.mappedNs();
                attach(found);
                found.forEach(probe -> warn(lateness(probe, mappedNs)));
            } catch (ProbeArgumentException | VerifierException | SyscallException e) {
                warn("a probe of a file that was mapped while recording is left out: " + e.getMessage());
            }
        }
        late.rest(nowNs, ClockReading.monotonicNowNs());
    }

    /** The maps of open spans. */
    List<PairingMap> pairingMaps() {
        return List.copyOf(pairingMaps);
    }

    /** Warnings about probes that were found late, or never, or that nothing hit; complete when the capture has ended. */
    List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        all.addAll(late.warnings());
        UnhitProbes unhit = new UnhitProbes(
                kernel.programs().stream()
                        .map(KernelObjects.LoadedProgram::planned)
                        .toList(),
                kernel.refused(),
                probeId -> decoder.wasHit(probeId) || lossSums.hasLost(probeId));
        all.addAll(unhit.lines(described.values()));
        if (syscalls.filter(calls -> !decoder.wasHit(calls.firstProbeId())).isPresent()) {
            all.add("attached, not hit: all of syscalls");
        }
        return all;
    }

    /** Specs whose library was mapped and has no such function or USDT probe, in words for the user. */
    List<String> misspelled() {
        return late.misspelled();
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

    @Override
    public void close() {
        late.close();
    }

    private void describe(ProgramPlan plan) {
        for (PlannedProbe planned : plan.probes()) {
            if (described.putIfAbsent(planned.probeId(), planned) == null) {
                Probe probe = ProbeRecords.of(captureId, planned);
                lossSums.name(probe);
                publisher.publish(probe);
            }
        }
    }

    private void attach(List<ResolvedProbe> found) {
        ProgramPlan more = ProgramPlanner.planMore(found, options, ++batches);
        for (PlannedProbe planned : more.probes()) {
            if (!described.containsKey(planned.probeId())) {
                decoder.add(planned);
            }
        }
        describe(more);
        int refusedBefore = kernel.refused().size();
        try {
            kernel.add(more).forEach(loaded -> losses.addProgram(loaded.planned(), loaded.program()));
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
}
