package dev.probestream.collector;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.kernel.RawTracepoints;
import dev.probestream.bpf.kernel.RefusedSite;
import dev.probestream.bpf.kernel.Tracepoints;
import dev.probestream.bpf.kernel.UprobeAttachment;
import dev.probestream.bpf.kernel.UprobeMeans;
import dev.probestream.bpf.kernel.UprobeSite;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.program.MapNames;
import dev.probestream.collector.program.PlannedProgram;
import dev.probestream.collector.program.ProgramPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel holds for one capture: maps, programs, links and the mapped ring. Owns all of it and gives it back in
 * reverse order.
 */
final class KernelSide implements AutoCloseable {
    private final UprobeMeans means;
    private final Map<String, BpfMap> maps = new HashMap<>();
    private final Map<PlannedProgram, BpfProgram> programs = new LinkedHashMap<>();
    /** Of what begins a span: closed first, so that no call is noted whose end cannot be seen. */
    private final Links beginnings = new Links();

    private final Links links = new Links();
    private final List<RefusedSite> refused = new ArrayList<>();
    private final RingBuffer ring;

    private KernelSide(UprobeMeans means, RingBuffer ring) {
        this.means = means;
        this.ring = ring;
    }

    /** Creates the maps and loads the programs; attaches nothing. */
    static KernelSide load(ProgramPlan plan, UprobeMeans means) {
        Map<String, BpfMap> maps = new HashMap<>();
        @Nullable KernelSide side = null;
        try {
            plan.maps().forEach(spec -> maps.put(spec.name(), BpfMap.create(spec)));
            side = new KernelSide(means, RingBuffer.map(named(maps, MapNames.EVENTS)));
            side.maps.putAll(maps);
            for (PlannedProgram planned : plan.programs()) {
                side.programs.put(planned, BpfProgram.load(planned.program(), maps));
            }
            return side;
        } catch (RuntimeException e) {
            if (side == null) {
                maps.values().forEach(BpfMap::close);
            } else {
                side.close();
            }
            throw e;
        }
    }

    /** Attaches all programs, in the order of the plan. */
    void attach(List<FoundProbe> probes) {
        Map<Integer, FoundProbe> byId = new HashMap<>();
        probes.forEach(probe -> byId.put(probe.probeId(), probe));
        programs.forEach((planned, program) -> {
            switch (planned.attachment()) {
                case USER_ENTRY -> attachUprobes(planned, program, byId, false);
                case USER_RETURN -> attachUprobes(planned, program, byId, true);
                case TRACEPOINT -> links.add(Tracepoints.attach(program, tracepointId(planned, byId)));
                case RAW_TRACEPOINT ->
                    (planned.tracepoint().equals("sys_enter") ? beginnings : links)
                            .add(RawTracepoints.attach(program, planned.tracepoint()));
            }
        });
    }

    /** Detaches everything: from here on nothing new comes into the ring. */
    void detach() {
        beginnings.close();
        links.close();
    }

    /** Sites the kernel would not probe, with its reasons. */
    List<RefusedSite> refused() {
        return List.copyOf(refused);
    }

    RingBuffer ring() {
        return ring;
    }

    BpfMap map(String name) {
        return named(maps, name);
    }

    boolean hasMap(String name) {
        return maps.containsKey(name);
    }

    Map<String, BpfMap> maps() {
        return maps;
    }

    Map<PlannedProgram, BpfProgram> programs() {
        return programs;
    }

    @Override
    public void close() {
        detach();
        programs.values().forEach(BpfProgram::close);
        ring.close();
        maps.values().forEach(BpfMap::close);
    }

    private static int tracepointId(PlannedProgram planned, Map<Integer, FoundProbe> byId) {
        return found(byId, planned.probeIds().get(0))
                .numbered()
                .format()
                .orElseThrow(() -> new IllegalStateException("no format of " + planned.tracepoint()))
                .id();
    }

    private void attachUprobes(
            PlannedProgram planned, BpfProgram program, Map<Integer, FoundProbe> byId, boolean isReturn) {
        Map<Integer, List<UprobeSite>> sitesByScope = new LinkedHashMap<>();
        for (int probeId : planned.probeIds()) {
            for (FoundProbe.Place place : found(byId, probeId).places()) {
                sitesByScope
                        .computeIfAbsent(place.scopePid(), unused -> new ArrayList<>())
                        .add(new UprobeSite(
                                place.location().file(),
                                place.location().fileOffset(),
                                0,
                                means.hasCookies() ? probeId : 0));
            }
        }
        sitesByScope.forEach((scopePid, sites) -> {
            UprobeAttachment attachment = Uprobes.attach(means, program, sites, isReturn, scopePid);
            (isReturn ? links : beginnings).add(attachment);
            refused.addAll(attachment.refused());
        });
    }

    private static FoundProbe found(Map<Integer, FoundProbe> byId, int probeId) {
        FoundProbe probe = byId.get(probeId);
        if (probe == null) {
            throw new IllegalStateException("the plan has a probe " + probeId + " that was never found");
        }
        return probe;
    }

    private static BpfMap named(Map<String, BpfMap> maps, String name) {
        BpfMap map = maps.get(name);
        if (map == null) {
            throw new IllegalStateException("the plan has no map " + name);
        }
        return map;
    }
}
