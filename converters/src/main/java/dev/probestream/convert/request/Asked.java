package dev.probestream.convert.request;

import dev.probestream.convert.request.context.AsyncIds;
import dev.probestream.convert.request.context.IdRange;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import org.jspecify.annotations.Nullable;

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
