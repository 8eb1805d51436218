package dev.probestream.convert.request;

import dev.probestream.convert.request.context.AsyncIds;
import dev.probestream.convert.request.context.IdRange;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

/** One piece of work under way, and what the request that ordered it is doing because of it. */
final class Work implements PendingEdges.Edge {
    private final Exchange root;
    /** Who asked for it. */
    private final int callerTid;

    private final @Nullable Asked asked;

    private final long orderedNs;

    private @Nullable RequestPhase part;
    private long runEndNs = -1;

    Work(Exchange root, int callerTid, @Nullable Asked asked, long nowNs) {
        this.root = root;
        this.callerTid = callerTid;
        this.asked = asked;
        this.orderedNs = nowNs;
    }

    static Work forPool(Exchange root, int callerTid, @Nullable Asked asked, long nowNs) {
        Work work = new Work(root, callerTid, asked, nowNs);
        work.become(RequestPhase.POOL_QUEUE, nowNs);
        return work;
    }

    Exchange root() {
        return root;
    }

    /** Whether other work may have been ordered since under the same pointer. */
    boolean mayBeOther(LostHits lost, long nowNs) {
        return lost.mayHideOrder(orderedNs, nowNs);
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

    /**
     * How some work was asked for. Node makes an object for it at that time, in whose async id the callback at its end runs (FSReqCallback and
     * others, src/req_wrap-inl.h).
     *
     * @param ids those that were given in the callback which has asked
     * @param id the async id in which that ran, which triggers the object; 0 = it continued a promise
     */
    record Asked(IdRange ids, long id) {
        /** By the hit at which it is asked for; null = its async id is not known. */
        static @Nullable Asked at(ProbePlan plan, EventView event, ThreadContext thread) {
            AsyncIds<Exchange> ids = thread.asyncIds;
            IdRange running = ids == null || !plan.has(Field.ASYNC_ID, event) ? null : ids.running();
            return running == null ? null : new Asked(running, plan.number(Field.ASYNC_ID, event, 0));
        }

        /** Whether the callback at its end may have this async id. */
        boolean mayHave(long asyncId, long trigger) {
            return ids.contains(asyncId) && trigger == id;
        }
    }
}
