package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.cost.CostMeter;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetThread;
import dev.probestream.collector.internal.redact.CommandLines;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps which of the traced processes and threads live, and publishes a record of each when it is first seen, when it
 * takes another name, and when it ends. A later record of the same process or thread replaces the earlier. Holds no more
 * than what lives.
 */
final class ProcessRegistry implements CostMeter.Targets {
    private static final long UNKNOWN_NS = -1;
    private static final int UNKNOWN_STATUS = -1;

    private final long captureId;
    private final EventPublisher publisher;
    private final Disclosure shown;
    private final long bootMinusMonotonicNs;
    private final Map<Integer, Process> processes = new HashMap<>();
    private final Map<Integer, Thread> threads = new HashMap<>();
    private boolean hasSeenAny;

    ProcessRegistry(long captureId, EventPublisher publisher, ClockReading clocks, Disclosure shown) {
        this.captureId = captureId;
        this.publisher = publisher;
        this.shown = shown;
        this.bootMinusMonotonicNs = clocks.bootTimeNs() - clocks.monotonicNs();
    }

    /** Notes a process and the threads it has now. */
    void add(Target target) {
        publish(process(target));
        for (TargetThread thread : target.threads()) {
            publish(thread(target.pid(), thread.tid(), thread.comm(), UNKNOWN_NS));
        }
    }

    /** Notes a kernel thread, which has no program. */
    void addKernelThread(int pid, String comm) {
        Process process = unknownProcess(pid);
        process.setName(name(comm));
        publish(process);
        publish(thread(pid, pid, comm, UNKNOWN_NS));
    }

    /** A traced process started a thread, or forked a process that is traced too. */
    void forked(long timestampNs, int parentPid, int childPid, int childTid, String comm) {
        if (childPid != parentPid) {
            Process child = unknownProcess(childPid);
            child.setParentPid(parentPid);
            Process parent = processes.get(parentPid);
            if (parent != null) {
                // A fork is a copy, until it executes another program.
                child.setUid(parent.getUid());
                child.setExecutable(parent.getExecutable());
                child.setCommandLine(parent.getCommandLine());
            }
            child.setName(name(comm));
            child.setStartNs(timestampNs);
            publish(child);
        }
        publish(thread(childPid, childTid, comm, timestampNs));
    }

    /**
     * A process runs another program now: everything known of it is read again.
     *
     * @param userId at that moment
     */
    void executed(int pid, int userId, String comm) {
        Process known = processes.getOrDefault(pid, unknownProcess(pid));
        try {
            Process now = process(Target.of(pid));
            now.setUid(userId);
            now.setStartNs(known.getStartNs() == UNKNOWN_NS ? now.getStartNs() : known.getStartNs());
            publish(now);
        } catch (ResolveException e) {
            // It ended before it could be read: only what the kernel's record has is known.
            known.setName(name(comm));
            known.setUid(userId);
            known.setExecutable("");
            known.setCommandLine(List.of());
            publish(known);
        }
        renamed(pid, pid, comm);
    }

    void renamed(int pid, int tid, String comm) {
        Thread known = threads.getOrDefault(tid, thread(pid, tid, comm, UNKNOWN_NS));
        known.setName(name(comm));
        publish(known);
    }

    /** @param waitStatus as wait(2) gives it; counts when the process has ended */
    void exited(long timestampNs, int pid, int tid, boolean processEnded, int waitStatus) {
        Thread thread = threads.remove(tid);
        if (thread != null) {
            thread.setEndNs(timestampNs);
            publisher.publish(thread);
        }
        Process process = processEnded ? processes.remove(pid) : null;
        if (process != null) {
            process.setEndNs(timestampNs);
            process.setWaitStatus(waitStatus);
            publisher.publish(process);
        }
    }

    /** Whether a process was seen and has not been seen to end. */
    boolean lives(int pid) {
        return processes.containsKey(pid);
    }

    /** Those that were seen and have not been seen to end. */
    @Override
    public List<Integer> livingPids() {
        return List.copyOf(processes.keySet());
    }

    @Override
    public long startNs(int pid) {
        Process process = processes.get(pid);
        return process == null ? UNKNOWN_NS : process.getStartNs();
    }

    /** How many of the processes that were seen have not been seen to end. */
    int livingCount() {
        return processes.size();
    }

    /** Whether there was a process. */
    boolean hasSeenAny() {
        return hasSeenAny;
    }

    private void publish(Process process) {
        hasSeenAny = true;
        processes.put(process.getPid(), process);
        publisher.publish(process);
    }

    private void publish(Thread thread) {
        threads.put(thread.getTid(), thread);
        publisher.publish(thread);
    }

    private Process process(Target target) {
        return new Process(
                captureId,
                target.pid(),
                target.parentPid(),
                target.userId(),
                name(target.comm()),
                target.executable(),
                shown.arguments() ? target.commandLine() : CommandLines.masked(target.commandLine()),
                target.startBoottimeNs() < 0 ? UNKNOWN_NS : target.startBoottimeNs() - bootMinusMonotonicNs,
                UNKNOWN_NS,
                UNKNOWN_STATUS);
    }

    private String name(String comm) {
        return shown.arguments() ? comm : CommandLines.maskedName(comm);
    }

    private Process unknownProcess(int pid) {
        return new Process(captureId, pid, 0, -1, "", "", List.of(), UNKNOWN_NS, UNKNOWN_NS, UNKNOWN_STATUS);
    }

    private Thread thread(int pid, int tid, String comm, long startNs) {
        return new Thread(captureId, pid, tid, name(comm), startNs, UNKNOWN_NS);
    }
}
