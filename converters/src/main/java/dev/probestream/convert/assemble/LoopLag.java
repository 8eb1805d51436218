package dev.probestream.convert.assemble;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.CaptureRoles;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ProcessTracks;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * For how long each turn of an event loop kept it from looking what is due: from the end of the waiting in one poll to
 * the next poll.
 *
 * <p>A poll both waits and calls back. Its waiting ends where the first event of the same thread begins in it whose
 * role means that a callback runs; if there is none, it waited to its end. So there is no counter unless such events
 * are recorded. Callbacks without a probe (completions of io_uring, which Node leaves off) count as waiting. Where the waiting alone is
 * recorded (set node-turns), nothing else is looked at.
 */
final class LoopLag {
    /** Loops of one thread: its own and those that run inside a callback (child_process.spawnSync has one). */
    static final int MAX_LOOPS = 8;

    private final CaptureTracks capture;
    private final DerivedCounters counters;
    private final TraceWriter writer;
    private final CaptureRoles roles;
    /** Of the spans whose ends are compared: those of waiting alone if there are any. */
    private final Role waits;

    private final boolean hasLoopRoles;
    private final LongMap<List<LoopTurns>> threads = new LongMap<>();

    LoopLag(CaptureTracks capture, DerivedCounters counters, TraceWriter writer) {
        this.capture = capture;
        this.counters = counters;
        this.writer = writer;
        this.roles = capture.roles();
        this.waits = roles.has(Role.LOOP_WAIT) ? Role.LOOP_WAIT : Role.LOOP_POLL;
        this.hasLoopRoles = roles.has(Role.LOOP_WAIT) || (roles.has(Role.LOOP_POLL) && roles.has(Role.LOOP_CALLBACK));
    }

    void event(EventView event, long startNs, long endNs) throws IOException {
        Role role = hasLoopRoles ? roles.of(event) : null;
        if (role == null || role == Role.SCHED_OFF) { // while it waits it has no CPU
            return;
        }
        List<LoopTurns> loops = threads.get(ProcessTracks.key(event.pid(), event.tid()));
        if (loops != null) {
            for (LoopTurns loop : loops) {
                loop.callback(startNs);
            }
        }
        if (role == waits) {
            poll(event, loops, startNs, endNs);
        }
    }

    private void poll(EventView event, @Nullable List<LoopTurns> known, long startNs, long endNs) throws IOException {
        List<LoopTurns> loops = known;
        if (loops == null) {
            loops = new ArrayList<>(1);
            threads.put(ProcessTracks.key(event.pid(), event.tid()), loops);
        }
        long address = roles.loopOf(event);
        String category = capture.probeCategory(event.probeId());
        for (int i = 0; i < loops.size(); i++) {
            LoopTurns loop = loops.get(i);
            if (loop.address() == address) {
                loop.poll(startNs, endNs, capture.unwatched(), category, writer);
                // Loops within a callback of this one are over.
                for (int inner = i + 1; inner < loops.size(); inner++) {
                    loops.get(inner).rest();
                }
                return;
            }
        }
        if (loops.size() < MAX_LOOPS) {
            ThreadTrack thread = capture.thread(event.pid(), event.tid(), startNs);
            String name = name(thread, loops.size());
            LoopTurns added = new LoopTurns(address, counters.add(thread, name, category, "ns"));
            loops.add(added);
            added.poll(startNs, endNs, capture.unwatched(), category, writer);
        }
    }

    private static String name(ThreadTrack thread, int loop) {
        String ofThread = thread.isMain() ? "loop lag" : "loop lag of " + thread.name() + " " + thread.tid();
        return loop == 0 ? ofThread : ofThread + ", loop " + (loop + 1);
    }
}
