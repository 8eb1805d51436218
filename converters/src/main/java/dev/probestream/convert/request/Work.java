package dev.probestream.convert.request;

import dev.probestream.convert.request.split.RequestPhase;
import org.jspecify.annotations.Nullable;

/** One piece of work under way, and what the request that ordered it is doing because of it. */
final class Work implements PendingEdges.Edge {
    private final Exchange root;
    /** Who asked for it. */
    private final int callerTid;

    private final @Nullable Asked asked;

    private @Nullable RequestPhase part;
    private long runEndNs = -1;

    Work(Exchange root, int callerTid, @Nullable Asked asked) {
        this.root = root;
        this.callerTid = callerTid;
        this.asked = asked;
    }

    static Work forPool(Exchange root, int callerTid, @Nullable Asked asked, long nowNs) {
        Work work = new Work(root, callerTid, asked);
        work.become(RequestPhase.POOL_QUEUE, nowNs);
        return work;
    }

    Exchange root() {
        return root;
    }

    /** Whether the callback at its end may have this async id, as far as it is known how the work was asked for. */
    boolean mayCallBackIn(long asyncId, long trigger) {
        return asked == null || asked.mayHave(asyncId, trigger);
    }

    int callerTid() {
        return callerTid;
    }

    void run(long nowNs, long endNs, PendingEdges edges) {
        become(RequestPhase.POOL_RUN, nowNs);
        runEndNs = endNs;
        edges.add(endNs, this);
    }

    @Override
    public void reached(long atNs) {
        if (part == RequestPhase.POOL_RUN && atNs == runEndNs) {
            become(RequestPhase.LOOP_WAIT, atNs);
        }
    }

    void over(long nowNs) {
        become(null, nowNs);
    }

    private void become(@Nullable RequestPhase next, long nowNs) {
        if (part != null) {
            root.sweep.end(part, nowNs);
        }
        part = next;
        if (next != null) {
            root.sweep.begin(next, nowNs);
        }
    }
}
