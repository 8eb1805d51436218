package dev.probestream.cli.loop;

import dev.probestream.cli.live.TaskNames;
import dev.probestream.cli.loop.LoopTable.Loop;
import dev.probestream.schema.EventView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The loops of all threads, with what was counted of each. */
final class LoopRegistry {
    /** Limits memory for programs that keep creating Workers: the totals include at most this many ended loops. */
    private static final int MAX_ENDED = 1000;

    private final long minRanNs;
    private final Consumer<LoopTurn> turns;
    private final Map<Integer, LoopThread> running = new TreeMap<>();
    /** Ended loops with the names of their threads. */
    private final Map<LoopThread, String> ended = new LinkedHashMap<>();

    /**
     * An empty registry.
     *
     * @param minRanNs shorter activities of a turn are left out
     * @param turns receives each turn when it ends
     */
    LoopRegistry(long minRanNs, Consumer<LoopTurn> turns) {
        this.minRanNs = minRanNs;
        this.turns = turns;
    }

    /** Adds a hit, in the order of its thread; the view is borrowed. */
    void add(LoopProbe probe, EventView event) {
        LoopThread thread = running.get(event.tid());
        if (thread == null) {
            thread = new LoopThread(event.pid(), event.tid(), minRanNs, turns);
            running.put(event.tid(), thread);
        }
        switch (probe.meaning()) {
            case POLL_ENTRY ->
                thread.pollEntered(probe.loop(event), event.timestampNs(), event.number(1), event.number(2));
            case POLL -> thread.polled(probe, probe.loop(event), event.timestampNs(), event.durationNs());
            case RUN -> {}
            case PHASE, WORK -> {
                thread.ran(probe, event.timestampNs(), event.durationNs());
                if (thread.keeps(event.durationNs())) {
                    thread.keep(probe.name(), probe.detail(event), event.timestampNs(), event.durationNs());
                }
            }
        }
    }

    /** The loops were not watched for a while. */
    void interrupted() {
        running.values().forEach(LoopThread::interrupted);
    }

    /** @param comm the name of the thread */
    void threadEnded(int tid, String comm) {
        LoopThread thread = running.remove(tid);
        if (thread != null && thread.isLoop() && ended.size() < MAX_ENDED) {
            ended.put(thread, comm);
        }
    }

    /** The numbers since the previous interval, of running loops and of those that ended in it. */
    LoopTable interval(long fromNs, long toNs, long lost, TaskNames names) {
        return table(fromNs, toNs, lost, names, true);
    }

    /** The numbers since the start. */
    LoopTable total(long fromNs, long toNs, long lost, TaskNames names) {
        return table(fromNs, toNs, lost, names, false);
    }

    private LoopTable table(long fromNs, long toNs, long lost, TaskNames names, boolean isInterval) {
        List<Loop> loops = new ArrayList<>();
        for (LoopThread thread : running.values()) {
            LoopNumbers interval = thread.takeInterval();
            if (thread.isLoop()) {
                loops.add(loop(thread, names.comm(thread.tid()), isInterval ? interval : thread.whole()));
            }
        }
        ended.forEach((thread, comm) -> {
            LoopNumbers interval = thread.takeInterval();
            if (!isInterval || !interval.isEmpty()) {
                loops.add(loop(thread, comm, isInterval ? interval : thread.whole()));
            }
        });
        // The main loop comes first: its thread usually has the smallest id.
        loops.sort(Comparator.comparingInt(Loop::pid).thenComparingInt(Loop::tid));
        return new LoopTable(fromNs, toNs, loops, lost);
    }

    private static Loop loop(LoopThread thread, String comm, LoopNumbers numbers) {
        return new Loop(thread.pid(), thread.tid(), comm, numbers);
    }
}
