package dev.probestream.convert.request.plan;

import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;

/**
 * When hits were lost that requests, and what belongs to them, are made of; on the clock of the capture. Fed with the capture's probes and losses. What was
 * seen on both sides of a loss need not belong together.
 */
public final class LostHits {
    private static final int MAX_TIMES = 1 << 16;

    /** By probe; those that mean nothing have none. */
    private final LongMap<ProbePlan> plans = new LongMap<>();

    private final Times all = new Times();
    private final Times begins = new Times();
    private final Times closes = new Times();
    private final Times statements = new Times();
    private final Times callbacks = new Times();
    private final Times orders = new Times();
    private final WholeReadings readings = new WholeReadings(all);

    /** A probe whose hits may be lost. */
    public void probe(Probe probe) {
        ProbePlan.of(probe).ifPresent(plan -> plans.put(probe.getProbeId(), plan));
    }

    /** Hits of a probe were lost, which was announced before. */
    public void loss(Loss loss) {
        ProbePlan plan = plans.get(loss.getProbeId());
        if (plan == null) {
            return;
        }
        Role role = plan.role();
        if (role != null && role.isOfConnections()) {
            add(all, loss);
        }
        if (role == Role.STREAM_CLOSE) {
            add(closes, loss);
        } else if (role == Role.STREAM_ACCEPT || role == Role.STREAM_CONNECT) {
            add(begins, loss);
        } else if (role == Role.DB_STATEMENT) {
            add(statements, loss);
        }
        if (plan.beginsHandling() || plan.has(Field.ASYNC_COUNTER)) {
            add(callbacks, loss);
        }
        if (role == Role.POOL_SUBMIT || plan.flow() == FlowStep.START) {
            add(orders, loss);
        }
    }

    /** An event of the capture; of a recording all come before the first question. */
    public void seen(EventView event) {
        ProbePlan plan = plans.get(event.probeId());
        Role role = plan == null ? null : plan.role();
        if (plan == null || role == null) {
            return;
        }
        if (role.isOfParser()) {
            long stream = plan.readFrom(event);
            if (stream != 0 && plan.has(Field.RECEIVED, event)) {
                long total = plan.number(Field.RECEIVED, event, 0);
                readings.read(event.pid(), stream, total, plan.number(Field.READ, event, -1), event.timestampNs());
            }
        } else if (role == Role.STREAM_CLOSE || role == Role.STREAM_ACCEPT || role == Role.STREAM_CONNECT) {
            readings.renew(event.pid(), plan.number(Field.STREAM, event, 0));
        }
    }

    /** Whether bytes show that no request was missed on a connection between two moments. */
    public boolean areAllSeen(int pid, long stream, long fromNs, long toNs) {
        return readings.isWhole(pid, stream, fromNs, toNs) && !mayHideConnection(fromNs, toNs);
    }

    private static void add(Times times, Loss loss) {
        times.add(loss.getFromNs(), loss.getToNs());
        times.joinBeyond(MAX_TIMES); // then hits between the two may have been lost, too
    }

    /** Whether any of connections are known. */
    public boolean areAny() {
        return all.areAny();
    }

    /** Whether any of connections may have been lost between two moments. */
    public boolean areAny(long fromNs, long toNs) {
        return all.areAny(fromNs, toNs);
    }

    /** Whether a connection may have been closed between two moments, and another one begun under its pointer, and neither was seen. */
    public boolean mayHideConnection(long fromNs, long toNs) {
        return closes.areAny(fromNs, toNs) && begins.areAny(fromNs, toNs);
    }

    /** Whether something may have been asked on a connection between two moments, or answered. */
    public boolean mayHideTalk(long fromNs, long toNs) {
        return areAny(fromNs, toNs) || statements.areAny(fromNs, toNs) || mayHideCallback(fromNs, toNs);
    }

    /** Whether a callback may have begun between two moments. */
    public boolean mayHideCallback(long fromNs, long toNs) {
        return callbacks.areAny(fromNs, toNs);
    }

    /** Whether work may have been ordered between two moments. */
    public boolean mayHideOrder(long fromNs, long toNs) {
        return orders.areAny(fromNs, toNs);
    }
}
