package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.TaskState;
import dev.probestream.convert.timeline.ThreadState;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.convert.timeline.Waking;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Context switches and wakings. They belong to a machine, not to a process, and a trace has room for one machine: only
 * the first capture that has any is taken.
 */
final class Scheduling {
    // The numbers of an event of role sched.off.
    private static final int STATE = 0;
    private static final int RUNNABLE_NS = 1;
    private static final int OFF_CPU_NUMBERS = 2;

    private final TraceWriter writer;
    private final ThreadStates states;
    private final TreeMap<Integer, CpuQueue> cpus = new TreeMap<>();
    private final Waking waking = new Waking();
    private @Nullable CaptureTracks owner;

    Scheduling(Timeline timeline, TraceWriter writer) {
        this.writer = writer;
        this.states = new ThreadStates(timeline.threadCount(), writer);
    }

    /** @return false if it cannot be shown */
    boolean switched(EventView event, CaptureTracks capture, long timestampNs) throws IOException {
        if (!CpuSwitch.isWhole(event) || !isOwner(capture)) {
            return false;
        }
        CpuQueue cpu = cpus.computeIfAbsent(event.cpu(), added -> new CpuQueue());
        CpuSwitch coming = cpu.coming();
        coming.set(event, timestampNs);
        states.switched(coming, capture);
        cpu.offer(capture, writer);
        return true;
    }

    /** @return false if it cannot be shown */
    boolean woken(EventView event, CaptureTracks capture, long timestampNs) throws IOException {
        if (!Waking.isWhole(event) || !isOwner(capture)) {
            return false;
        }
        waking.set(event, timestampNs);
        states.woken(waking, capture);
        writer.waking(waking);
        return true;
    }

    /**
     * A thread had no cpu for the time of a span. What it did between two of them is not known: shorter such times are no
     * events.
     */
    void offCpu(EventView event, ThreadTrack thread, long startNs, long endNs) throws IOException {
        if (event.numberCount() < OFF_CPU_NUMBERS) {
            return;
        }
        long runnableNs = Math.max(0, Math.min(event.number(RUNNABLE_NS), endNs - startNs));
        ThreadState state = TaskState.afterSwitch(event.number(STATE));
        if (endNs - runnableNs > startNs) {
            writer.threadState(thread, state, startNs, endNs - runnableNs);
        }
        if (runnableNs > 0) {
            writer.threadState(thread, ThreadState.RUNNABLE, endNs - runnableNs, endNs);
        }
    }

    private boolean isOwner(CaptureTracks capture) {
        if (owner == null && capture.isFirstMachine()) {
            owner = capture;
        }
        return owner == capture;
    }

    void finish(long endNs) throws IOException {
        CaptureTracks capture = owner;
        if (capture != null) {
            for (CpuQueue cpu : cpus.values()) {
                cpu.finish(capture, writer);
            }
        }
        states.finish(endNs);
    }
}
