package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.RawTracepoints;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.ring.RingBuffer;
import dev.probestream.collector.internal.program.FunctionsInC;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.code.ExecWindowProgram;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.Windows;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.protocol.connection.Endpoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the kernel holds for one capture: maps, programs, links and the mapped ring. Owns all of it and gives it back in
 * reverse order.
 */
public final class KernelObjects implements AutoCloseable {
    private final Map<String, BpfMap> maps = new HashMap<>();
    private final List<LoadedProgram> programs = new ArrayList<>();
    /** What is to be closed, the last opened first. */
    private final Deque<Runnable> owned = new ArrayDeque<>();

    private final AttachedPrograms attached;
    private final Windows windows;
    private final RingBuffer ring;

    /** A program of the plan that the kernel has taken. */
    public record LoadedProgram(PlannedProgram planned, BpfProgram program) {}

    private KernelObjects(ProgramPlan plan, UprobeAttachMethod attachMethod, BpfObjects objects) {
        this.attached = new AttachedPrograms(attachMethod);
        this.windows = plan.windows();
        this.ring = RingBuffer.map(objects.map(MapNames.EVENTS));
        own(plan, objects);
    }

    /** Creates the maps and loads the programs; attaches nothing. */
    public static KernelObjects load(ProgramPlan plan, UprobeAttachMethod attachMethod, KernelTypes types) {
        BpfObjects objects = FunctionsInC.link(plan, types::read).load();
        try {
            return new KernelObjects(plan, attachMethod, objects);
        } catch (RuntimeException e) {
            objects.close();
            throw e;
        }
    }

    /** The names of maps that are taken stay those of the first. */
    private List<LoadedProgram> own(ProgramPlan plan, BpfObjects objects) {
        owned.push(objects::close);
        objects.maps().forEach(maps::putIfAbsent);
        List<LoadedProgram> loaded = plan.programs().stream()
                .map(planned -> new LoadedProgram(
                        planned, objects.program(planned.program().name())))
                .toList();
        programs.addAll(loaded);
        return loaded;
    }

    /** Attaches all programs that await nothing, in the order of the plan. Their probes count nothing until {@link #openWindow}. */
    public void attach() {
        attached.attach(programs);
    }

    /** From here on every probe that is attached counts its hits, and every probe that is attached later. */
    public void openWindow() {
        setWindow(1);
    }

    /**
     * The same from the moment on at which a held command is executed: what its shell calls before does not count.
     *
     * @param pid of the shell, which is to be released next
     * @param namespace of the pid, if it is not the initial one
     */
    public void openWindowAtExec(int pid, Optional<PidNamespace> namespace) {
        BpfMap launch = BpfMap.create(MapSpec.array(MapNames.LAUNCH, Integer.BYTES, 1));
        owned.push(launch::close);
        maps.put(MapNames.LAUNCH, launch);
        launch.update(BpfMap.key(0), BpfMap.key(1));
        ProgramSpec spec = ExecWindowProgram.of(pid, namespace, windows);
        try (BpfObjects objects =
                FunctionsInC.link(new ObjectsSpec(List.of(), List.of(spec))).load(maps)) {
            attached.add(RawTracepoints.attach(objects.program(spec.name()), ExecWindowProgram.TRACEPOINT));
        }
    }

    /**
     * From here on no probe counts a hit, except for programs that run at this moment: they end before {@link #detach}
     * returns. Calls that are open stay open.
     */
    public void closeWindow() {
        if (maps.containsKey(MapNames.LAUNCH)) {
            map(MapNames.LAUNCH).update(BpfMap.key(0), BpfMap.key(0));
        }
        setWindow(0);
    }

    private void setWindow(int isOpen) {
        synchronized (windows) {
            ByteBuffer value = windowsValue();
            for (int offset = 0; offset < windows.sizeBytes(); offset += Integer.BYTES) {
                value.putInt(offset, isOpen);
            }
            map(MapNames.WINDOW).update(BpfMap.key(0), value);
        }
    }

    private boolean setWindows(Collection<String> categories, int isOpen) {
        synchronized (windows) {
            ByteBuffer value = windowsValue();
            value.put(map(MapNames.WINDOW).lookup(BpfMap.key(0)).orElseThrow()).clear();
            if (value.getInt(0) == 0) {
                return false;
            }
            categories.forEach(category -> value.putInt(windows.offset(category), isOpen));
            map(MapNames.WINDOW).update(BpfMap.key(0), value);
            return true;
        }
    }

    private ByteBuffer windowsValue() {
        return ByteBuffer.allocate(windows.sizeBytes()).order(ByteOrder.nativeOrder());
    }

    /**
     * Loads and attaches what was found while the capture runs.
     *
     * @return the programs, which stay ours
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses; what was there before stays
     */
    public List<LoadedProgram> add(ProgramPlan more) {
        List<LoadedProgram> loaded = own(more, FunctionsInC.link(more).load(maps));
        attached.attach(loaded);
        return loaded;
    }

    /** Detaches everything: from here on nothing new comes into the ring. */
    public void detach() {
        attached.close();
    }

    /**
     * Closes the windows of these categories, all at one moment; programs that run at this moment still count.
     *
     * @return whether the windows were open; those of a held command open when it is executed
     */
    public boolean pause(Collection<String> categories) {
        return setWindows(categories, 0);
    }

    /** Opens the windows of these categories, all at one moment, unless the capture's own is closed. */
    public boolean resume(Collection<String> categories) {
        return setWindows(categories, 1);
    }

    /**
     * Takes the programs of these categories away from where they are attached; their windows are closed.
     *
     * @return what to wait for: no program of them runs any more when it is closed
     */
    public Links takeAway(Collection<String> categories) {
        return attached.takeAway(categories);
    }

    /** Attaches the programs of these categories again. They count nothing until {@link #resume}. */
    public void putBack(Collection<String> categories) {
        attached.putBack(categories);
    }

    /**
     * Attaches the programs that await this, and begins to detach those that announce it, for good.
     *
     * @return the programs that were standing by for it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public List<PlannedProgram> announce(String name) {
        return attached.announce(name);
    }

    /** Whether a probe awaits what has not been announced: it is attached nowhere. */
    public boolean standsBy(int probeId) {
        return attached.standsBy(probeId);
    }

    /** The attach points that the kernel refused, with its reasons. */
    public List<RefusedAttachPoint> refused() {
        return attached.refused();
    }

    public RingBuffer ring() {
        return ring;
    }

    public BpfMap map(String name) {
        return named(maps, name);
    }

    public boolean hasMap(String name) {
        return maps.containsKey(name);
    }

    public Map<String, BpfMap> maps() {
        return maps;
    }

    /** Nothing more is recorded of this stream, unless it is entered again. */
    public void forgetStream(Endpoint endpoint) {
        ByteBuffer key = ByteBuffer.allocate(StreamBytesLayout.KEY_SIZE_BYTES).order(ByteOrder.nativeOrder());
        key.putLong(0, endpoint.tls() == 0 ? endpoint.stream() : endpoint.tls());
        key.putInt(StreamBytesLayout.KEY_TGID_OFFSET, endpoint.pid());
        map(MapNames.STREAMS).delete(key);
    }

    public List<LoadedProgram> programs() {
        return List.copyOf(programs);
    }

    @Override
    public void close() {
        detach();
        ring.close();
        while (!owned.isEmpty()) {
            owned.pop().run();
        }
    }

    private static BpfMap named(Map<String, BpfMap> maps, String name) {
        BpfMap map = maps.get(name);
        if (map == null) {
            throw new IllegalStateException("the plan has no map " + name);
        }
        return map;
    }
}
