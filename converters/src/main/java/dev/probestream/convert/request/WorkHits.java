package dev.probestream.convert.request;

import dev.probestream.convert.request.ThreadContext.Kind;
import dev.probestream.convert.request.origin.PeerNames;
import dev.probestream.convert.request.plan.Field;
import dev.probestream.convert.request.plan.ProbePlan;
import dev.probestream.schema.EventView;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What hits on work that is ordered, run and ended mean. Each method returns the request that the hit is of; null = that of its context. */
final class WorkHits {
    private static final Pattern BLANK = Pattern.compile(" ");

    /** Stands for the rest of a text that is cut. */
    private static final String MORE = "…";

    private final PendingEdges edges;
    private final PeerNames names;
    private final WorkTable works = new WorkTable();
    private final FailedLookups lookups;
    private final Exchanges exchanges;

    WorkHits(PendingEdges edges, Exchanges exchanges, PeerNames names) {
        this.lookups = new FailedLookups(exchanges);
        this.exchanges = exchanges;
        this.edges = edges;
        this.names = names;
    }

    @Nullable
    Exchange submit(ProbePlan plan, EventView event, ThreadContext thread) {
        if (plan.has(Field.HOST)) {
            lookups.begin(plan, event, thread, "lookup");
        }
        long request = plan.number(Field.REQUEST, event, 0);
        if (request != 0) {
            Work.Asked asked = Work.Asked.at(plan, event, thread);
            works.submit(event.pid(), request, thread.worker(), event.tid(), asked, event.timestampNs());
        }
        return null;
    }

    @Nullable
    Exchange run(ProbePlan plan, EventView event, ThreadContext thread) {
        Work work = known(works.get(event.pid(), plan.number(Field.REQUEST, event, 0)), event);
        if (work == null) {
            return null;
        }
        work.run(event.timestampNs(), ThreadContext.endNs(event), edges);
        return begin(Kind.WORK, work, event, thread);
    }

    @Nullable
    Exchange done(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        if (plan.has(Field.LOOKUP_RESULT)) {
            lookups.end(plan, event);
        }
        if (plan.has(Field.ADDRESS)) {
            lookedUp(plan, event);
        }
        Work work = works.end(event.pid(), plan.number(Field.REQUEST, event, 0), event.timestampNs());
        return begin(Kind.CALLBACK, known(work, event), event, thread);
    }

    /** The work, unless the event may be of other work under the same pointer, whose begin was lost. */
    private @Nullable Work known(@Nullable Work work, EventView event) {
        return work == null || work.mayBeOther(exchanges.lost(), event.timestampNs()) ? null : work;
    }

    private void lookedUp(ProbePlan plan, EventView event) {
        String host = plan.text(Field.HOST, event);
        names.found(event.pid(), host, plan.text(Field.ADDRESS, event), event.timestampNs());
        names.found(event.pid(), host, plan.text(Field.ADDRESS_2, event), event.timestampNs());
        names.found(event.pid(), host, plan.text(Field.ADDRESS_3, event), event.timestampNs());
    }

    @Nullable
    Exchange answered(ProbePlan plan, EventView event) {
        String host = plan.text(Field.HOST, event);
        for (String address : BLANK.split(plan.text(Field.ADDRESSES, event))) {
            if (!address.equals(MORE)) {
                names.found(event.pid(), host, address, event.timestampNs());
            }
        }
        return null;
    }

    @Nullable
    Exchange query(ProbePlan plan, EventView event, ThreadContext thread) {
        lookups.begin(plan, event, thread, "resolve");
        return flow(plan, event, thread);
    }

    @Nullable
    Exchange queried(ProbePlan plan, EventView event, ThreadContext thread) throws IOException {
        lookups.end(plan, event);
        return flow(plan, event, thread);
    }

    @Nullable
    Exchange flow(ProbePlan plan, EventView event, ThreadContext thread) {
        long value = plan.flowValue(event);
        if (value == 0) {
            return null;
        }
        long nowNs = event.timestampNs();
        Work found = switch (plan.flow()) {
            case NONE -> null;
            case START -> {
                Work.Asked asked = Work.Asked.at(plan, event, thread);
                works.start(event.pid(), value, thread.worker(), event.tid(), asked, nowNs);
                yield null;
            }
            case STEP -> works.get(event.pid(), value);
            case END -> works.end(event.pid(), value, nowNs);
        };
        Work work = known(found, event);
        if (work == null) {
            return null;
        }
        Kind kind = event.tid() == work.callerTid() ? Kind.CALLBACK : Kind.WORK;
        return begin(kind, work, event, thread);
    }

    private static @Nullable Exchange begin(Kind kind, @Nullable Work work, EventView event, ThreadContext thread) {
        thread.begin(kind, work, event);
        return work == null ? null : work.root();
    }
}
