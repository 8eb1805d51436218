package dev.probestream.collector;

import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.CpuClocks;
import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.kernel.MapSpec;
import dev.probestream.bpf.kernel.RawTracepoints;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.Tracepoints;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.UprobeAttachment;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.process.FileId;
import dev.probestream.collector.program.PlannedProgram;
import dev.probestream.collector.program.ProgramPlan;
import dev.probestream.collector.program.layout.MapNames;
import dev.probestream.collector.resolve.UprobeLocation;
import java.time.Duration;
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
final class KernelObjects implements AutoCloseable {
    /**
     * Much longer than a grace period. A call that lasts can make it endless as long as returns are probed (see {@link
     * Links}); nothing begins any more by then.
     */
    private static final Duration BEGINNINGS_FIRST = Duration.ofMillis(500);

    private final UprobeAttachMethod means;
    private final Map<String, BpfMap> maps = new HashMap<>();
    private final List<LoadedProgram> programs = new ArrayList<>();
    /** Maps of plans that came later, under names that are taken. */
    private final List<BpfMap> furtherMaps = new ArrayList<>();
    /** Of what begins a span: closed first, so that no call is noted whose end cannot be seen. */
    private final Links beginnings = new Links();

    private final Links links = new Links();
    private final List<RefusedAttachPoint> refused = new ArrayList<>();
    private final Map<ProbedInstruction, Long> semaphores = new HashMap<>();
    private final RingBuffer ring;

    /** What the kernel has one uprobe for, however many programs run there. */
    private record ProbedInstruction(FileId file, long fileOffset) {
        static ProbedInstruction of(UprobeLocation location) {
            return new ProbedInstruction(location.fileId(), location.fileOffset());
        }
    }

    /** A program of the plan that the kernel has taken. */
    record LoadedProgram(PlannedProgram planned, BpfProgram program) {}

    private KernelObjects(UprobeAttachMethod means, RingBuffer ring) {
        this.means = means;
        this.ring = ring;
    }

    /** Creates the maps and loads the programs; attaches nothing. */
    static KernelObjects load(ProgramPlan plan, UprobeAttachMethod means) {
        Map<String, BpfMap> maps = new HashMap<>();
        @Nullable KernelObjects side = null;
        try {
            plan.maps().forEach(spec -> maps.put(spec.name(), BpfMap.create(spec)));
            side = new KernelObjects(means, RingBuffer.map(named(maps, MapNames.EVENTS)));
            side.maps.putAll(maps);
            side.programs.addAll(loadAll(plan, maps));
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
        attach(programs, probes);
    }

    /**
     * Loads and attaches what was found while the capture runs.
     *
     * @return the programs, which stay ours
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses; what was there before stays
     */
    List<LoadedProgram> add(ProgramPlan more, List<FoundProbe> probes) {
        Map<String, BpfMap> known = new HashMap<>(maps);
        for (MapSpec spec : more.maps()) {
            BpfMap map = BpfMap.create(spec);
            known.put(spec.name(), map);
            if (maps.putIfAbsent(spec.name(), map) != null) {
                furtherMaps.add(map);
            }
        }
        List<LoadedProgram> loaded = loadAll(more, known);
        programs.addAll(loaded);
        attach(loaded, probes);
        return loaded;
    }

    private static List<LoadedProgram> loadAll(ProgramPlan plan, Map<String, BpfMap> maps) {
        List<LoadedProgram> loaded = new ArrayList<>();
        try {
            for (PlannedProgram planned : plan.programs()) {
                loaded.add(new LoadedProgram(planned, BpfProgram.load(planned.program(), maps)));
            }
            return loaded;
        } catch (RuntimeException e) {
            loaded.forEach(program -> program.program().close());
            throw e;
        }
    }

    private void attach(List<LoadedProgram> loaded, List<FoundProbe> probes) {
        Map<Integer, FoundProbe> byId = new HashMap<>();
        probes.forEach(probe -> byId.put(probe.probeId(), probe));
        probes.forEach(probe -> probe.places().forEach(place -> noteSemaphore(place.location())));
        loaded.forEach(each -> {
            PlannedProgram planned = each.planned();
            BpfProgram program = each.program();
            switch (planned.attachment()) {
                case USER_ENTRY -> attachUprobes(planned, program, byId, false);
                case USER_RETURN -> attachUprobes(planned, program, byId, true);
                case TRACEPOINT -> links.add(Tracepoints.attach(program, tracepointId(planned, byId)));
                case RAW_TRACEPOINT ->
                    (planned.tracepoint().equals("sys_enter") ? beginnings : links)
                            .add(RawTracepoints.attach(program, planned.tracepoint()));
                case CPU_CLOCK -> links.add(CpuClocks.attach(program, frequencyHz(planned, byId)));
            }
        });
    }

    /** Detaches everything: from here on nothing new comes into the ring. */
    void detach() {
        beginnings.beginToClose(BEGINNINGS_FIRST);
        try {
            links.close();
        } finally {
            beginnings.close();
        }
    }

    /** Sites the kernel would not probe, with its reasons. */
    List<RefusedAttachPoint> refused() {
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

    List<LoadedProgram> programs() {
        return List.copyOf(programs);
    }

    @Override
    public void close() {
        detach();
        programs.forEach(loaded -> loaded.program().close());
        ring.close();
        furtherMaps.forEach(BpfMap::close);
        maps.values().forEach(BpfMap::close);
    }

    private static int tracepointId(PlannedProgram planned, Map<Integer, FoundProbe> byId) {
        return found(byId, planned.probeIds().get(0))
                .numbered()
                .format()
                .orElseThrow(() -> new IllegalStateException("no format of " + planned.tracepoint()))
                .id();
    }

    private static int frequencyHz(PlannedProgram planned, Map<Integer, FoundProbe> byId) {
        return found(byId, planned.probeIds().get(0)).numbered().spec().frequencyHz();
    }

    private void attachUprobes(
            PlannedProgram planned, BpfProgram program, Map<Integer, FoundProbe> byId, boolean isReturn) {
        Map<Integer, List<AttachPoint>> sitesByScope = new LinkedHashMap<>();
        for (int probeId : planned.probeIds()) {
            List<FoundProbe.Place> places = found(byId, probeId).places();
            for (int i = 0; i < places.size(); i++) {
                if (planned.serves(probeId, i)) {
                    sitesByScope
                            .computeIfAbsent(places.get(i).scopePid(), unused -> new ArrayList<>())
                            .add(site(places.get(i).location(), probeId));
                }
            }
        }
        sitesByScope.forEach((scopePid, sites) -> {
            UprobeAttachment attachment = Uprobes.attach(means, program, sites, isReturn, scopePid);
            (isReturn || planned.isSpanReturn() ? links : beginnings).add(attachment);
            refused.addAll(attachment.refused());
        });
    }

    private void noteSemaphore(UprobeLocation location) {
        if (location.refCtrOffset() != 0) {
            semaphores.put(ProbedInstruction.of(location), location.refCtrOffset());
        }
    }

    /** Also a function that begins with a USDT site takes its semaphore: one uprobe has but one (kernel/events/uprobes.c). */
    private AttachPoint site(UprobeLocation location, int probeId) {
        return new AttachPoint(
                location.file(),
                location.fileOffset(),
                semaphores.getOrDefault(ProbedInstruction.of(location), 0L),
                means.hasCookies() ? probeId : 0);
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
