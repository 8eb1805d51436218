package dev.probestream.convert;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** Spans of one thread that nest, made up from a seed. Some share their start or end with their parent or a sibling. */
final class SpanTree {
    /** A span; {@code parentId} is -1 at the bottom. */
    record Span(long id, int tid, long startNs, long endNs, long parentId) {}

    private final SplittableRandom random;
    private final int tid;
    private final List<Span> spans = new ArrayList<>();
    private long nextId;

    private SpanTree(long seed, int tid, long firstId) {
        this.random = new SplittableRandom(seed);
        this.tid = tid;
        this.nextId = firstId;
    }

    /** In the order in which they end, children before their parent: the order in which they are recorded. */
    static List<Span> grow(long seed, int tid, long firstId, int atLeast, long startNs) {
        SpanTree tree = new SpanTree(seed, tid, firstId);
        long fromNs = startNs;
        while (tree.spans.size() < atLeast) {
            long lengthNs = 1 + tree.random.nextLong(100_000);
            tree.span(fromNs, fromNs + lengthNs, -1, 0);
            fromNs += lengthNs + tree.random.nextLong(2);
        }
        return tree.spans;
    }

    private void span(long startNs, long endNs, long parentId, int depth) {
        long id = nextId++;
        long fromNs = startNs;
        // No children of no length at a place that two spans share: whose child that is would be ambiguous.
        while (fromNs < endNs && depth < 30 && random.nextInt(4) != 0) {
            long childEndNs = fromNs + 1 + random.nextLong(endNs - fromNs);
            span(fromNs, childEndNs, id, depth + 1);
            fromNs = childEndNs + random.nextLong(3);
            if (random.nextInt(8) == 0 && fromNs > childEndNs && fromNs < endNs) {
                spans.add(new Span(nextId++, tid, fromNs, fromNs, id));
                fromNs++;
            }
        }
        spans.add(new Span(id, tid, startNs, endNs, parentId));
    }

    /** The spans of several threads in the order in which they are recorded. */
    static List<Span> merged(List<List<Span>> threads) {
        List<Span> all = new ArrayList<>();
        threads.forEach(all::addAll);
        all.sort(Comparator.comparingLong(Span::endNs)); // stable: children stay before their parent
        return all;
    }
}
