package dev.probestream.query;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Spans, events and lives of threads made by chance, dense enough that all of it happens: spans that nest, that overlap without
 * nesting, that are alike, that take no time, that never end; threads whose numbers are used again, and some of which nothing
 * is known. Says by trying all of them which span is the innermost one.
 */
final class RandomSpans {
    static final int CAPTURES = 150;
    private static final int[] TIDS = {0, 7, 8};
    private static final long FOREVER = Long.MAX_VALUE;
    private static final Comparator<Span> INNERMOST_LAST = Comparator.comparingLong(Span::fromNs)
            .thenComparing(Comparator.comparingLong(Span::toNs).reversed())
            .thenComparingLong(Span::sequence);

    final List<Span> spans = new ArrayList<>();
    final List<Hit> hits = new ArrayList<>();
    final List<Life> lives = new ArrayList<>();
    final List<@Nullable Long> captureEndsNs = new ArrayList<>();
    private final Random random;
    private long sequence;

    /** @param toNs what is to be found out for spans that never ended; not in the recording */
    record Span(
            int capture,
            int tid,
            long sequence,
            long fromNs,
            @Nullable Long durationNs,
            long toNs) {
        boolean lastsAt(long ns) {
            return fromNs <= ns && ns < toNs;
        }

        boolean holds(Span other) {
            return toNs > fromNs && toNs >= other.toNs && INNERMOST_LAST.compare(this, other) < 0;
        }
    }

    record Hit(int capture, int tid, long sequence, long ns) {}

    record Life(
            int capture,
            int tid,
            @Nullable Long fromNs,
            @Nullable Long toNs) {}

    RandomSpans(long seed) {
        random = new Random(seed);
        for (int capture = 0; capture < CAPTURES; capture++) {
            captureEndsNs.add(random.nextBoolean() ? null : Long.valueOf(120));
            for (int tid : TIDS) {
                addLives(capture, tid);
            }
            int count = random.nextInt(40);
            for (int i = 0; i < count; i++) {
                addSpan(capture, TIDS[random.nextInt(TIDS.length)]);
            }
            for (int i = 0; i < 60; i++) {
                hits.add(new Hit(capture, TIDS[random.nextInt(TIDS.length)], sequence++, random.nextInt(130)));
            }
        }
    }

    private void addLives(int capture, int tid) {
        long fromNs = random.nextBoolean() ? -1 : 0;
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            long toNs = fromNs + 5 + random.nextInt(35);
            lives.add(new Life(capture, tid, fromNs < 0 ? null : fromNs, random.nextInt(3) == 0 ? null : toNs));
            fromNs = toNs + random.nextInt(3);
        }
    }

    private void addSpan(int capture, int tid) {
        long fromNs = random.nextInt(60);
        long[] durationsNs = {0, 1, 1, 2, 3, 5, 8, 13, 30};
        if (random.nextInt(10) > 0) {
            long durationNs = durationsNs[random.nextInt(durationsNs.length)];
            spans.add(new Span(capture, tid, sequence++, fromNs, durationNs, fromNs + durationNs));
        } else {
            spans.add(new Span(capture, tid, sequence++, fromNs, null, endOfOpenSpan(capture, tid, fromNs)));
        }
    }

    /** When the thread that had the number then ended, or the next one with it began, or the capture ended. */
    private long endOfOpenSpan(int capture, int tid, long ns) {
        List<Life> ofNumber = lives.stream()
                .filter(life -> life.capture() == capture && life.tid() == tid)
                .toList();
        long endNs = FOREVER;
        for (int i = 0; i < ofNumber.size(); i++) {
            Life life = ofNumber.get(i);
            if (life.fromNs() == null || life.fromNs() <= ns) {
                long nextNs = i + 1 < ofNumber.size() ? from(ofNumber.get(i + 1)) : FOREVER;
                endNs = Math.min(nextNs, life.toNs() == null ? FOREVER : life.toNs());
            }
        }
        Long captureEndNs = captureEndsNs.get(capture);
        return Math.min(endNs, captureEndNs == null ? FOREVER : captureEndNs);
    }

    private static long from(Life life) {
        return life.fromNs() == null ? -1 : life.fromNs();
    }

    /** Tries all spans; null = none. Nothing is said of thread 0. */
    @Nullable
    Span innermostAt(int capture, int tid, long ns) {
        return spans.stream()
                .filter(span -> tid != 0 && span.capture() == capture && span.tid() == tid && span.lastsAt(ns))
                .max(INNERMOST_LAST)
                .orElse(null);
    }

    /** Tries all spans; null = none. */
    @Nullable
    Span parentOf(Span child) {
        if (child.toNs() == child.fromNs()) {
            return innermostAt(child.capture(), child.tid(), child.fromNs());
        }
        return spans.stream()
                .filter(span -> span.capture() == child.capture() && span.tid() == child.tid() && span.holds(child))
                .max(INNERMOST_LAST)
                .orElse(null);
    }
}
