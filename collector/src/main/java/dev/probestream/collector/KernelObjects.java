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
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.code.ExecWindowProgram;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private final UprobeAttachMethod attachMethod;
    private final Map<String, BpfMap> maps = new HashMap<>();
    private final List<LoadedProgram> programs = new ArrayList<>();
    /** Maps of plans that came later, under names that are taken. */
    private final List<BpfMap> furtherMaps = new ArrayList<>();
    /** Of what begins a span: closed first, so that no span is opened whose end cannot be seen. */
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

    private KernelObjects(UprobeAttachMethod attachMethod, RingBuffer ring) {
        this.attachMethod = attachMethod;
        this.ring = ring;
    }

    /** Creates the maps and loads the programs; attaches nothing. */
    static KernelObjects load(ProgramPlan plan, UprobeAttachMethod attachMethod) {
        Map<String, BpfMap> maps = new HashMap<>();
        @Nullable KernelObjects objects = null;
        try {
            plan.maps().forEach(spec -> maps.put(spec.name(), BpfMap.create(spec)));
            objects = new KernelObjects(attachMethod, RingBuffer.map(named(maps, MapNames.EVENTS)));
            objects.maps.putAll(maps);
            objects.programs.addAll(loadAll(plan, maps));
            return objects;
        } catch (RuntimeException e) {
            if (objects == null) {
                maps.values().forEach(BpfMap::close);
            } else {
                objects.close();
            }
            throw e;
        }
    }

    /** Attaches all programs, in the order of the plan. Their probes count nothing until {@link #openWindow}. */
    void attach() {
        attach(programs);
    }

    /** From here on every probe that is attached counts its hits, and every probe that is attached later. */
    void openWindow() {
        setWindow(1);
    }

    /**
     * The same from the moment on at which a held command is executed: what its shell calls before does not count.
     *
     * @param pid of the shell, which is to be released next
     * @param namespace of the pid, if it is not the initial one
     */
    void openWindowAtExec(int pid, Optional<PidNamespace> namespace) {
        BpfMap launch = BpfMap.create(MapSpec.array(MapNames.LAUNCH, Integer.BYTES, 1));
        maps.put(MapNames.LAUNCH, launch);
        launch.update(BpfMap.key(0), BpfMap.key(1));
        try (BpfProgram program = BpfProgram.load(ExecWindowProgram.of(pid, namespace), maps)) {
            links.add(RawTracepoints.attach(program, ExecWindowProgram.TRACEPOINT));
        }
    }

    /**
     * From here on no probe counts a hit, except for programs that run at this moment: they end before {@link #detach}
     * returns. Calls that are open stay open.
     */
    void closeWindow() {
        if (maps.containsKey(MapNames.LAUNCH)) {
            map(MapNames.LAUNCH).update(BpfMap.key(0), BpfMap.key(0));
        }
        setWindow(0);
    }

    private void setWindow(int isOpen) {
        map(MapNames.WINDOW).update(BpfMap.key(0), BpfMap.key(isOpen));
    }

    /**
     * Loads and attaches what was found while the capture runs.
     *
     * @return the programs, which stay ours
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses; what was there before stays
     */
    List<LoadedProgram> add(ProgramPlan more) {
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
        attach(loaded);
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

    private void attach(List<LoadedProgram> loaded) {
        loaded.stream()
                .flatMap(each -> each.planned().attachment().uprobes().stream())
                .forEach(uprobe -> noteSemaphore(uprobe.location()));
        loaded.forEach(each -> {
            Attachment attachment = each.planned().attachment();
            BpfProgram program = each.program();
            switch (attachment.kind()) {
                case USER_ENTRY -> attachUprobes(each, false);
                case USER_RETURN -> attachUprobes(each, true);
                case TRACEPOINT -> links.add(Tracepoints.attach(program, attachment.tracepointId()));
                case RAW_TRACEPOINT ->
                    (attachment.tracepoint().equals("sys_enter") ? beginnings : links)
                            .add(RawTracepoints.attach(program, attachment.tracepoint()));
                case CPU_CLOCK -> links.add(CpuClocks.attach(program, attachment.frequencyHz()));
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

    /** The attach points that the kernel refused, with its reasons. */
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

    private void attachUprobes(LoadedProgram loaded, boolean isReturn) {
        Map<Integer, List<AttachPoint>> pointsByScope = new LinkedHashMap<>();
        for (Uprobe uprobe : loaded.planned().attachment().uprobes()) {
            pointsByScope
                    .computeIfAbsent(uprobe.location().scopePid(), unused -> new ArrayList<>())
                    .add(attachPoint(uprobe));
        }
        pointsByScope.forEach((scopePid, points) -> {
            UprobeAttachment attachment = Uprobes.attach(attachMethod, loaded.program(), points, isReturn, scopePid);
            (isReturn || loaded.planned().isSpanReturn() ? links : beginnings).add(attachment);
            refused.addAll(attachment.refused());
        });
    }

    private void noteSemaphore(UprobeLocation location) {
        if (location.refCtrOffset() != 0) {
            semaphores.put(ProbedInstruction.of(location), location.refCtrOffset());
        }
    }

    /** Also a function that begins with a USDT probe takes its semaphore: one uprobe has but one (kernel/events/uprobes.c). */
    private AttachPoint attachPoint(Uprobe uprobe) {
        UprobeLocation location = uprobe.location();
        return new AttachPoint(
                location.file(),
                location.fileOffset(),
                semaphores.getOrDefault(ProbedInstruction.of(location), 0L),
                attachMethod.hasCookies() ? uprobe.probeId() : 0);
    }

    private static BpfMap named(Map<String, BpfMap> maps, String name) {
        BpfMap map = maps.get(name);
        if (map == null) {
            throw new IllegalStateException("the plan has no map " + name);
        }
        return map;
    }
}
