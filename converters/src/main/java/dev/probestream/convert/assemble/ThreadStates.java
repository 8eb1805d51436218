package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.TaskState;
import dev.probestream.convert.timeline.ThreadState;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.convert.timeline.Waking;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Follows what each traced thread does, from context switches and wakings in order of time. */
final class ThreadStates {
    private final @Nullable ThreadTrack[] threads;
    private final ThreadState[] states;
    private final long[] sinceNs;
    private final TraceWriter writer;

    ThreadStates(int threadCount, TraceWriter writer) {
        threads = new ThreadTrack[threadCount];
        states = new ThreadState[threadCount];
        sinceNs = new long[threadCount];
        this.writer = writer;
    }

    void switched(CpuSwitch cpuSwitch, CaptureTracks capture) throws IOException {
        long atNs = cpuSwitch.timestampNs();
        ThreadTrack leaving = capture.tracedThread(cpuSwitch.prevTid(), atNs);
        if (leaving != null) {
            // It ran until now, whatever was seen before.
            if (threads[leaving.index()] != null && states[leaving.index()] != ThreadState.RUNNING) {
                forget(leaving);
            }
            change(leaving, TaskState.afterSwitch(cpuSwitch.prevState()), atNs);
        }
        ThreadTrack coming = capture.tracedThread(cpuSwitch.nextTid(), atNs);
        if (coming != null) {
            change(coming, ThreadState.RUNNING, atNs);
        }
    }

    void woken(Waking waking, CaptureTracks capture) throws IOException {
        ThreadTrack thread = capture.tracedThread(waking.wokenTid(), waking.timestampNs());
        // A thread that runs may be woken on its way to sleep: it just goes on running.
        if (thread != null && (threads[thread.index()] == null || states[thread.index()] != ThreadState.RUNNING)) {
            change(thread, ThreadState.RUNNABLE, waking.timestampNs());
        }
    }

    void finish(long endNs) throws IOException {
        for (ThreadTrack thread : threads) {
            if (thread != null) {
                write(thread, endNs);
            }
        }
    }

    private void change(ThreadTrack thread, ThreadState state, long atNs) throws IOException {
        int index = thread.index();
        if (threads[index] != null) {
            if (states[index] == state) {
                return;
            }
            write(thread, atNs);
        }
        threads[index] = thread;
        states[index] = state;
        sinceNs[index] = atNs;
    }

    private void write(ThreadTrack thread, long untilNs) throws IOException {
        int index = thread.index();
        if (untilNs > sinceNs[index]) {
            writer.threadState(thread, states[index], sinceNs[index], untilNs);
        }
    }

    private void forget(ThreadTrack thread) {
        threads[thread.index()] = null;
    }
}
