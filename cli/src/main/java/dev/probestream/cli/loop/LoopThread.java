package dev.probestream.cli.loop;

import java.util.List;
import java.util.function.Consumer;

/**
 * Tracks the loop of one thread from its hits, in the order of the thread; spans are ordered by their ends.
 *
 * <p>A loop waits at the beginning of its poll phase and runs the callbacks inside it: the wait ends where the
 * first callback starts. A callback without a probe therefore counts as waiting if it comes first. A turn with lost
 * hits is left out.
 */
final class LoopThread {
    private static final long UNKNOWN = -1;

    /**
     * A program can run a second loop inside a callback of the first (spawnSync of Node does): its work belongs to the
     * first. After this many waits the second loop is taken for the loop of the thread.
     */
    private static final int MAX_INNER_POLLS = 1000;

    private final int pid;
    private final int tid;
    private final Consumer<LoopTurn> turns;
    private final LoopActivityTree tree;
    private final LoopNumbers whole = new LoopNumbers();

    private LoopNumbers numbers = new LoopNumbers();
    private long loop;
    private int innerPolls;
    /** The start of the current turn. */
    private long turnStartNs = UNKNOWN;
    /** The start of the first callback since the start of the last wait. */
    private long firstCallbackNs = UNKNOWN;

    /** @param turns receives each turn when it ends */
    LoopThread(int pid, int tid, long minRanNs, Consumer<LoopTurn> turns) {
        this.pid = pid;
        this.tid = tid;
        this.turns = turns;
        this.tree = new LoopActivityTree(minRanNs);
    }

    int pid() {
        return pid;
    }

    int tid() {
        return tid;
    }

    /** Whether the thread has a loop, that is, a wait was seen. */
    boolean isLoop() {
        return loop != 0;
    }

    /** The counts since the previous call. */
    LoopNumbers takeInterval() {
        LoopNumbers taken = numbers;
        whole.addAll(taken);
        numbers = new LoopNumbers();
        numbers.load(taken.handles(), taken.requests());
        return taken;
    }

    /** The counts up to the last interval. */
    LoopNumbers whole() {
        return whole;
    }

    /** A loop starts to wait. */
    void pollEntered(long polled, long atNs, long handles, long requests) {
        if (!isOurs(polled)) {
            return;
        }
        endTurn(atNs);
        firstCallbackNs = UNKNOWN;
        numbers.load(handles, requests);
    }

    /** A loop has waited and run callbacks. */
    void polled(LoopProbe probe, long polled, long startNs, long durationNs) {
        numbers.ran(probe, durationNs);
        if (polled != loop) {
            keep(probe.name(), "", startNs, durationNs);
            return;
        }
        if (turnStartNs != UNKNOWN) {
            // The hit at its start was lost.
            turnStartNs = UNKNOWN;
            tree.take();
            return;
        }
        long endNs = startNs + durationNs;
        long wokenNs = firstCallbackNs == UNKNOWN ? endNs : Math.max(startNs, firstCallbackNs);
        numbers.waited(wokenNs - startNs);
        turnStartNs = wokenNs;
    }

    /** A phase of the loop, or an activity in a phase, has ended. */
    void ran(LoopProbe probe, long startNs, long durationNs) {
        numbers.ran(probe, durationNs);
        if (probe.meaning() == LoopProbe.Meaning.WORK && turnStartNs == UNKNOWN) {
            firstCallbackNs = firstCallbackNs == UNKNOWN ? startNs : Math.min(firstCallbackNs, startNs);
        }
    }

    /** Whether an activity of this length is to be passed to {@link #keep}. */
    boolean keeps(long durationNs) {
        return tree.keeps(durationNs);
    }

    /** Adds an activity to the turn it ran in. */
    void keep(String name, String detail, long startNs, long durationNs) {
        if (tree.keeps(durationNs)) {
            tree.add(name, detail, startNs, durationNs);
        }
    }

    /** The thread was not watched for a while: what its turn became is not known. */
    void interrupted() {
        turnStartNs = UNKNOWN;
        firstCallbackNs = UNKNOWN;
        tree.take();
    }

    private boolean isOurs(long polled) {
        if (loop == 0 || (polled != loop && ++innerPolls > MAX_INNER_POLLS)) {
            loop = polled;
            turnStartNs = UNKNOWN;
        }
        if (polled == loop) {
            innerPolls = 0;
        }
        return polled == loop;
    }

    private void endTurn(long atNs) {
        List<LoopTurn.Activity> ran = tree.take();
        if (turnStartNs != UNKNOWN) {
            long busyNs = Math.max(0, atNs - turnStartNs);
            numbers.turned(busyNs);
            turns.accept(new LoopTurn(pid, tid, turnStartNs, busyNs, ran));
        }
        turnStartNs = UNKNOWN;
    }
}
