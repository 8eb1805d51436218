package dev.probestream.convert.request;

import java.util.PriorityQueue;

/**
 * Ends of spans that lie ahead of the event being looked at. Bounded: when there are {@value #LIMIT}, the earliest one is
 * taken for reached.
 */
final class PendingEdges {
    static final int LIMIT = 1 << 16;

    /** What becomes different at such a moment. */
    interface Edge {
        void reached(long atNs);
    }

    private record Pending(long atNs, long order, Edge edge) implements Comparable<Pending> {
        @Override
        public int compareTo(Pending other) {
            return atNs != other.atNs ? Long.compare(atNs, other.atNs) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Pending> pending = new PriorityQueue<>();
    private long added;

    /** A moment that never comes is not kept. */
    void add(long atNs, Edge edge) {
        if (atNs == Long.MAX_VALUE) {
            return;
        }
        if (pending.size() >= LIMIT) {
            Pending first = pending.remove();
            first.edge.reached(first.atNs);
        }
        pending.add(new Pending(atNs, added++, edge));
    }

    /** Everything up to then has happened. */
    void reach(long nowNs) {
        for (Pending first = pending.peek(); first != null && first.atNs <= nowNs; first = pending.peek()) {
            pending.remove();
            first.edge.reached(first.atNs);
        }
    }
}
