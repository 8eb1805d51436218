package dev.probestream.cli.loop;

import java.util.List;
import java.util.function.Consumer;

/**
 * Follows the loop of one thread from hit to hit, in the order in which the thread made them: of spans that of their ends.
 *
 * <p>A loop waits at the beginning of its poll phase and calls back what is ready from within: the wait ends where the
 * first callback begins. A callback that no probe knows therefore counts as waiting when it comes first. Where hits
 * were lost a turn is left out.
 */
final class LoopThread {
    private static final long UNKNOWN = -1;

    /**
     * A program can run a second loop inside a callback of the first (spawnSync of Node does): that is work of the first. So
     * often may it wait before it is taken for the loop of the thread, which ours was not, then.
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
    /** When the running turn began. */
    private long turnStartNs = UNKNOWN;
    /** When the first callback began since the loop last began to wait. */
    private long firstCallbackNs = UNKNOWN;

    /** @param turns takes each turn when it is over */
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

    /** Whether the thread has a loop: one that was seen to wait. */
    boolean isLoop() {
        return loop != 0;
    }

    /** What was counted since this was last called. */
    LoopNumbers takeInterval() {
        LoopNumbers taken = numbers;
        whole.addAll(taken);
        numbers = new LoopNumbers();
        numbers.load(taken.handles(), taken.requests());
        return taken;
    }

    /** What was counted up to the last interval. */
    LoopNumbers whole() {
        return whole;
    }

    /** A loop begins to wait. */
    void pollEntered(long polled, long atNs, long handles, long requests) {
        if (!isOurs(polled)) {
            return;
        }
        endTurn(atNs);
        firstCallbackNs = UNKNOWN;
        numbers.load(handles, requests);
    }

    /** A loop has waited and called back. */
    void polled(LoopProbe probe, long polled, long startNs, long durationNs) {
        numbers.ran(probe, durationNs);
        if (polled != loop) {
            keep(probe.name(), "", startNs, durationNs);
            return;
        }
        if (turnStartNs != UNKNOWN) {
            // The hit of its beginning was lost.
            turnStartNs = UNKNOWN;
            tree.take();
            return;
        }
        long endNs = startNs + durationNs;
        long wokenNs = firstCallbackNs == UNKNOWN ? endNs : Math.max(startNs, firstCallbackNs);
        numbers.waited(wokenNs - startNs);
        turnStartNs = wokenNs;
    }

    /** A phase of the loop, or something inside of one, is over. */
    void ran(LoopProbe probe, long startNs, long durationNs) {
        numbers.ran(probe, durationNs);
        if (probe.meaning() == LoopProbe.Meaning.WORK && turnStartNs == UNKNOWN) {
            firstCallbackNs = firstCallbackNs == UNKNOWN ? startNs : Math.min(firstCallbackNs, startNs);
        }
    }

    /** Whether what took so long is wanted for {@link #keep}. */
    boolean keeps(long durationNs) {
        return tree.keeps(durationNs);
    }

    /** Keeps something for the turn it ran in. */
    void keep(String name, String detail, long startNs, long durationNs) {
        if (tree.keeps(durationNs)) {
            tree.add(name, detail, startNs, durationNs);
        }
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
