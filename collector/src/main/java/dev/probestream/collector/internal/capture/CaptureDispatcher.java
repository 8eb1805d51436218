package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.event.TaskLifecycleListener;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.internal.unseen.UnfollowedChildren;
import dev.probestream.collector.internal.v8.V8Processes;
import dev.probestream.collector.internal.v8.async.ContextProcesses;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Probe;
import java.util.Optional;

/** Passes on what the decoder reads from the ring: events to the publisher, task lifecycle records to the registry. */
final class CaptureDispatcher implements EventDecoder.Consumer, TaskLifecycleListener {
    private final EventPublisher publisher;
    private final ProcessRegistry processes;
    private final StackInterner stacks;
    private final Optional<V8Processes> v8;
    private final Optional<ContextProcesses> contexts;
    private final LossSums losses;
    private final Optional<BpfMap> targets;
    private final boolean isFollowing;
    private final UnfollowedChildren unfollowed;
    private final AwaitedProbes awaited;

    /**
     * @param v8 those that run V8, when JavaScript frames are recorded
     * @param contexts those whose async contexts are recorded
     * @param targets the map of recorded pids, when the programs have one
     * @param isFollowing whether a process that a traced one starts is traced too, if there is a record of it
     * @param unfollowed the others
     * @param awaited takes what probes announce
     */
    CaptureDispatcher(
            EventPublisher publisher,
            ProcessRegistry processes,
            StackInterner stacks,
            Optional<V8Processes> v8,
            Optional<ContextProcesses> contexts,
            LossSums losses,
            Optional<BpfMap> targets,
            boolean isFollowing,
            UnfollowedChildren unfollowed,
            AwaitedProbes awaited) {
        this.publisher = publisher;
        this.processes = processes;
        this.stacks = stacks;
        this.v8 = v8;
        this.contexts = contexts;
        this.losses = losses;
        this.targets = targets;
        this.isFollowing = isFollowing;
        this.unfollowed = unfollowed;
        this.awaited = awaited;
    }

    @Override
    public void event(EventEncoder event) {
        publisher.publish(event);
    }

    @Override
    public void probe(Probe probe) {
        losses.name(probe);
        publisher.publish(probe);
    }

    @Override
    public void announced(String name, long atNs) {
        awaited.announced(name, atNs);
    }

    @Override
    public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {
        if (tgid != parentTgid && !isFollowing) {
            unfollowed.started(parentTgid, tgid, comm);
            return;
        }
        if (tgid != parentTgid) {
            stacks.forked(timestampNs, parentTgid, tgid);
            v8.ifPresent(known -> known.forked(parentTgid, tgid));
            contexts.ifPresent(known -> known.forked(parentTgid, tgid));
        }
        processes.forked(timestampNs, parentTgid, tgid, tid, comm);
    }

    @Override
    public void executed(long timestampNs, int tgid, int userId, String comm) {
        stacks.executed(timestampNs, tgid);
        v8.ifPresent(known -> known.add(tgid));
        contexts.ifPresent(known -> known.add(tgid));
        processes.executed(tgid, userId, comm);
    }

    @Override
    public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {
        processes.exited(timestampNs, tgid, tid, isProcessEnd, waitStatus);
        if (isProcessEnd) {
            stacks.forget(tgid);
            v8.ifPresent(known -> known.remove(tgid));
            contexts.ifPresent(known -> known.remove(tgid));
            targets.ifPresent(map -> map.delete(BpfMap.key(tgid)));
        }
    }

    @Override
    public void renamed(long timestampNs, int tgid, int tid, String comm) {
        processes.renamed(tgid, tid, comm);
    }
}
