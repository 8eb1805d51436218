package dev.probestream.collector.internal.capture;

import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.event.ProbeRecords;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.unseen.UnhitProbes;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The probes of a running capture: each is described before its first event, and named at the end if nothing hit it. */
final class DescribedProbes {
    private final long captureId;
    private final ProgramOptions options;
    private final EventPublisher publisher;
    private final EventDecoder decoder;
    private final LossSums lossSums;
    private final Map<Integer, PlannedProbe> described = new TreeMap<>();
    private Optional<PlannedSyscalls> syscalls = Optional.empty();

    DescribedProbes(
            long captureId, ProgramOptions options, EventPublisher publisher, EventDecoder decoder, LossSums lossSums) {
        this.captureId = captureId;
        this.options = options;
        this.publisher = publisher;
        this.decoder = decoder;
        this.lossSums = lossSums;
    }

    /** Describes those that were loaded before the capture began. */
    void begin(ProgramPlan plan) {
        syscalls = plan.syscalls();
        describe(plan);
    }

    /** Plans probes that were found late, and describes them: a {@link LateAttachment.Planner}. */
    ProgramPlan planMore(List<ResolvedProbe> found, int batch) {
        ProgramPlan more = ProgramPlanner.planMore(found, options, batch);
        for (PlannedProbe planned : more.probes()) {
            if (!described.containsKey(planned.probeId())) {
                decoder.add(planned);
            }
        }
        describe(more);
        return more;
    }

    /** Lines about the probes of the user, and the sets, that nothing hit. */
    List<String> unhit(KernelObjects kernel) {
        List<String> lines = new ArrayList<>(unhitProbes(kernel).lines(recording(kernel)));
        if (syscalls.filter(calls -> !decoder.wasHit(calls.firstProbeId())).isPresent()) {
            lines.add("attached, not hit: all of syscalls");
        }
        return lines;
    }

    /** Lines about the sets of which some probes were hit, and others not. */
    List<String> partlyHit(KernelObjects kernel) {
        return unhitProbes(kernel).ofPartlyHitSets(recording(kernel));
    }

    /** Without those that stand by, and those that only announce something. */
    private List<PlannedProbe> recording(KernelObjects kernel) {
        return described.values().stream()
                .filter(probe -> probe.spec().preset().attaching().announces().isEmpty())
                .filter(probe -> !kernel.standsBy(probe.probeId()))
                .toList();
    }

    private UnhitProbes unhitProbes(KernelObjects kernel) {
        return new UnhitProbes(
                kernel.programs().stream()
                        .map(KernelObjects.LoadedProgram::planned)
                        .toList(),
                kernel.refused(),
                probeId -> decoder.wasHit(probeId) || lossSums.hasLost(probeId));
    }

    /** Lines about the statements to databases that are not in the recording, or only without their answers. */
    List<String> undecoded() {
        List<String> lines = new ArrayList<>();
        undecoded(lines, decoder.unmatchedStatements(), "recorded without the time and result of the answer");
        undecoded(lines, decoder.undecodedStatements(), "sent and not recorded");
        return lines;
    }

    private static void undecoded(List<String> lines, long count, String what) {
        if (count > 0) {
            lines.add(
                    "databases: " + count + (count == 1 ? " statement was " : " statements were ") + what
                            + ": their connections were open when the recording began, or bytes of them were lost or not watched");
        }
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
}
