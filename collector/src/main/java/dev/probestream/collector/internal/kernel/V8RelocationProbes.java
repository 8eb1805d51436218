package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.UnsupportedFeatureException;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.UprobeAttachment;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.kernel.VerifierException;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.FunctionsInC;
import dev.probestream.collector.internal.program.code.V8RelocationPrograms;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.v8.V8Executable;
import dev.probestream.collector.internal.v8.V8Processes;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Our own probes in V8, which count when it moves objects: in each executable once, for all processes that run it. They
 * stay until the last stack is named, so they outlive the probes of the capture.
 */
public final class V8RelocationProbes implements V8Processes.Watch, AutoCloseable {
    private final Map<FileId, Optional<String>> watched = new HashMap<>();
    private final Links links = new Links();
    private final Deque<BpfObjects> programs = new ArrayDeque<>();
    private final TargetFilter filter;
    private final Map<String, BpfMap> maps;

    /**
     * @param filter only its pid namespace counts
     * @param maps those of the capture; they stay the caller's
     */
    public V8RelocationProbes(TargetFilter filter, Map<String, BpfMap> maps) {
        this.filter = filter;
        this.maps = maps;
    }

    @Override
    public Optional<String> begin(V8Executable executable) {
        Optional<String> known = watched.get(executable.id());
        if (known != null) {
            return known;
        }
        Optional<String> refusal = attach(executable);
        if (refusal.isEmpty() || Files.exists(executable.file())) {
            watched.put(executable.id(), refusal);
        }
        return refusal;
    }

    private Optional<String> attach(V8Executable executable) {
        List<UprobeAttachment> attached = new ArrayList<>();
        try {
            UprobeAttachMethod method = UprobeAttachMethod.best();
            V8RelocationPrograms specs = new V8RelocationPrograms(filter, method.attachType());
            BpfObjects objects =
                    FunctionsInC.link(new ObjectsSpec(List.of(), specs.all())).load(maps);
            programs.push(objects);
            // The end first: an end without a beginning is not counted.
            attached.add(attach(
                    method,
                    objects,
                    V8RelocationPrograms.END,
                    executable,
                    executable.moving().ends()));
            attached.add(attach(
                    method,
                    objects,
                    V8RelocationPrograms.BEGIN,
                    executable,
                    executable.moving().begins()));
            attached.add(attach(
                    method,
                    objects,
                    V8RelocationPrograms.TEARDOWN,
                    executable,
                    executable.moving().heapEnds()));
        } catch (SyscallException | VerifierException | UnsupportedFeatureException e) {
            return refused(attached, String.valueOf(e.getMessage()));
        }
        Optional<String> refusal = attached.stream()
                .flatMap(each -> each.refused().stream())
                .map(point -> point.attachPoint() + ": " + point.reason())
                .findFirst();
        if (refusal.isPresent()) {
            return refused(attached, refusal.get());
        }
        attached.forEach(links::add);
        return Optional.empty();
    }

    private static Optional<String> refused(List<UprobeAttachment> attached, String reason) {
        attached.forEach(UprobeAttachment::close);
        return Optional.of("the kernel would not probe where V8 moves its objects: " + reason);
    }

    private static UprobeAttachment attach(
            UprobeAttachMethod method, BpfObjects objects, String program, V8Executable executable, long fileOffset) {
        AttachPoint point = new AttachPoint(executable.file(), fileOffset, 0, 0);
        return Uprobes.attach(method, objects.program(program), List.of(point), false, Uprobes.EVERY_PROCESS);
    }

    @Override
    public void close() {
        try {
            links.close();
        } finally {
            programs.forEach(BpfObjects::close);
            programs.clear();
        }
    }
}
