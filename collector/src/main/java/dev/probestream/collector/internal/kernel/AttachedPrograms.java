package dev.probestream.collector.internal.kernel;

import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.CpuClocks;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.kernel.RawTracepoints;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.Tracepoints;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.UprobeAttachment;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.kernel.KernelObjects.LoadedProgram;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Where the programs of a capture are attached. Those of a category can be taken away and put back while the capture
 * runs, on another thread than the one that attaches what is found late. Programs that await what another one announces
 * stand by until then.
 */
final class AttachedPrograms implements AutoCloseable {
    /**
     * Much longer than a grace period. A call that lasts can make it endless as long as returns are probed (see {@link
     * Links}); nothing begins any more by then.
     */
    private static final Duration BEGINNINGS_FIRST = Duration.ofMillis(500);

    private final UprobeAttachMethod attachMethod;
    // Guarded by this:
    /** Those that are attached, unless their category is away. */
    private final List<LoadedProgram> programs = new ArrayList<>();

    private final List<LoadedProgram> standingBy = new ArrayList<>();
    /** What there are programs for that announce it, and of that what has been announced. */
    private final Set<String> announceable = new HashSet<>();

    private final Set<String> announced = new HashSet<>();
    private final Map<LinkGroup, CategoryLinks> attached = new LinkedHashMap<>();
    private final Set<String> away = new HashSet<>();
    private final List<Links> leaving = new ArrayList<>();
    private final List<RefusedAttachPoint> refused = new ArrayList<>();
    private final Map<ProbedInstruction, Long> semaphores = new HashMap<>();
    private boolean isClosed;

    /** What the kernel has one uprobe for, however many programs run there. */
    private record ProbedInstruction(FileId file, long fileOffset) {
        static ProbedInstruction of(UprobeLocation location) {
            return new ProbedInstruction(location.fileId(), location.fileOffset());
        }
    }

    /** Links that are closed together. */
    private record LinkGroup(String category, String announces) {
        static LinkGroup of(PlannedProgram planned) {
            return new LinkGroup(planned.category(), planned.attaching().announces());
        }
    }

    /** @param beginnings of what begins a span: closed first, so that no span is opened whose end cannot be seen */
    private record CategoryLinks(Links beginnings, Links others) {
        CategoryLinks() {
            this(new Links(), new Links());
        }
    }

    AttachedPrograms(UprobeAttachMethod attachMethod) {
        this.attachMethod = attachMethod;
    }

    /**
     * Attaches the programs, in their order, except for those whose category is away, that stand by, or that announce what
     * has been announced.
     */
    synchronized void attach(List<LoadedProgram> loaded) {
        loaded.forEach(each -> announceable.add(each.planned().attaching().announces()));
        loaded.stream()
                .flatMap(each -> each.planned().attachment().uprobes().stream())
                .forEach(uprobe -> noteSemaphore(uprobe.location()));
        List<LoadedProgram> now = new ArrayList<>();
        for (LoadedProgram each : loaded) {
            Attaching attaching = each.planned().attaching();
            if (!announced.contains(attaching.announces())) {
                (standsBy(attaching.awaits()) ? standingBy : now).add(each);
            }
        }
        attachNow(now);
    }

    /** Without a program that could announce it nothing is awaited. */
    private boolean standsBy(String awaited) {
        return !awaited.isEmpty() && announceable.contains(awaited) && !announced.contains(awaited);
    }

    private void attachNow(List<LoadedProgram> loaded) {
        programs.addAll(loaded);
        for (LoadedProgram each : loaded) {
            if (!away.contains(each.planned().category())) {
                refused.addAll(attach(each));
            }
        }
    }

    /**
     * Attaches the programs that await what is announced by this name, and begins to detach those that announce it, for good.
     *
     * @return the programs that were standing by for it
     * @throws SyscallException when the kernel refuses
     */
    synchronized List<PlannedProgram> announce(String name) {
        if (isClosed || !announced.add(name)) {
            return List.of();
        }
        List<LoadedProgram> awaiting = standingBy.stream()
                .filter(each -> each.planned().attaching().awaits().equals(name))
                .toList();
        standingBy.removeAll(awaiting);
        programs.removeIf(each -> each.planned().attaching().announces().equals(name));
        Links announcing = take(group -> group.announces().equals(name));
        try {
            attachNow(awaiting);
        } finally {
            beginToDetach(announcing); // last: an instruction that both have keeps its breakpoint
        }
        return awaiting.stream().map(LoadedProgram::planned).toList();
    }

    /** Whether the programs of this probe await what has not been announced. */
    synchronized boolean standsBy(int probeId) {
        return standingBy.stream().anyMatch(each -> each.planned().probeIds().contains(probeId));
    }

    /** Takes ownership of a link of the capture itself. */
    synchronized void add(Link link) {
        links(new LinkGroup("", "")).others().add(link);
    }

    /**
     * Begins to detach all programs of these categories; those that are attached later stay away, too.
     *
     * @return the links, which detach already; to be closed
     */
    synchronized Links takeAway(Collection<String> categories) {
        away.addAll(categories);
        // At once: the windows are closed, so that nothing begins any more.
        return beginToDetach(take(group -> categories.contains(group.category())));
    }

    private Links take(Predicate<LinkGroup> which) {
        Links taken = new Links();
        attached.forEach((group, links) -> {
            if (which.test(group)) {
                taken.add(links.beginnings());
                taken.add(links.others());
            }
        });
        attached.keySet().removeIf(which);
        return taken;
    }

    private Links beginToDetach(Links links) {
        leaving.removeIf(Links::isClosed);
        leaving.add(links);
        links.beginToClose(Duration.ZERO);
        return links;
    }

    /**
     * Attaches all programs of these categories again, in the order of the plan.
     *
     * @throws SyscallException when the kernel refuses; then none of them is attached
     */
    synchronized void putBack(Collection<String> categories) {
        if (isClosed) {
            return;
        }
        away.removeAll(categories);
        try {
            for (LoadedProgram each : programs) {
                if (categories.contains(each.planned().category())) {
                    attach(each);
                }
            }
        } catch (SyscallException e) {
            takeAway(categories).close();
            throw e;
        }
    }

    /** The attach points that the kernel refused, with its reasons. */
    synchronized List<RefusedAttachPoint> refused() {
        return List.copyOf(refused);
    }

    /** Detaches everything, and waits for what is being detached already. */
    @Override
    public void close() {
        Links beginnings = new Links();
        Links others = new Links();
        synchronized (this) {
            isClosed = true;
            attached.values().forEach(links -> {
                beginnings.add(links.beginnings());
                others.add(links.others());
            });
            attached.clear();
            leaving.forEach(others::add);
            leaving.clear();
        }
        beginnings.beginToClose(BEGINNINGS_FIRST);
        try {
            others.close();
        } finally {
            beginnings.close();
        }
    }

    private CategoryLinks links(LinkGroup group) {
        return attached.computeIfAbsent(group, unused -> new CategoryLinks());
    }

    private List<RefusedAttachPoint> attach(LoadedProgram loaded) {
        Attachment attachment = loaded.planned().attachment();
        BpfProgram program = loaded.program();
        CategoryLinks links = links(LinkGroup.of(loaded.planned()));
        switch (attachment.kind()) {
            case USER_ENTRY -> {
                return attachUprobes(loaded, links, false);
            }
            case USER_RETURN -> {
                return attachUprobes(loaded, links, true);
            }
            case TRACEPOINT -> links.others().add(Tracepoints.attach(program, attachment.tracepointId()));
            case RAW_TRACEPOINT ->
                (attachment.tracepoint().equals("sys_enter") ? links.beginnings() : links.others())
                        .add(RawTracepoints.attach(program, attachment.tracepoint()));
            case CPU_CLOCK -> links.others().add(CpuClocks.attach(program, attachment.frequencyHz()));
        }
        return List.of();
    }

    private List<RefusedAttachPoint> attachUprobes(LoadedProgram loaded, CategoryLinks links, boolean isReturn) {
        Map<Integer, List<AttachPoint>> pointsByScope = new LinkedHashMap<>();
        for (Uprobe uprobe : loaded.planned().attachment().uprobes()) {
            pointsByScope
                    .computeIfAbsent(uprobe.location().scopePid(), unused -> new ArrayList<>())
                    .add(attachPoint(uprobe));
        }
        List<RefusedAttachPoint> refusals = new ArrayList<>();
        pointsByScope.forEach((scopePid, points) -> {
            try {
                UprobeAttachment attachment =
                        Uprobes.attach(attachMethod, loaded.program(), points, isReturn, scopePid);
                (isReturn || loaded.planned().isSpanReturn() ? links.others() : links.beginnings()).add(attachment);
                refusals.addAll(attachment.refused());
            } catch (SyscallException e) {
                // One of the targets ended in the meantime: the others are watched.
                if (e.errno() != Errno.ESRCH || !TargetProcesses.hasEnded(scopePid)) {
                    throw e;
                }
            }
        });
        return refusals;
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
}
