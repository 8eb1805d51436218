package dev.probestream.collector.redact;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Copies the pieces of URLs that a parser hands out as they come, each without what may be a secret in it; put together,
 * they are what {@link UrlMask} makes of the whole, but for a name that is cut in two, which is masked.
 *
 * <p>What a piece may be depends on those before it. So everything is masked where they are not known: before the first
 * beginning of a message is seen of a parser, in all pieces but the first when a hit was lost, behind a piece that could
 * not be read to its end.
 * Remembers a fixed number of parsers; one whose position another one takes is unknown from then on.
 */
final class UrlPieces {
    private static final int PARSERS = 1 << 14;

    /** Spreads pointers, whose lower bits are alike: 2^64 divided by the golden ratio. */
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    /** What is known of a parser. */
    private enum State {
        /** Nothing, and that was said in the position of a piece. */
        LOST,
        /** A message has begun; no piece of its URL was seen. */
        BEGUN,
        IN_PATH,
        AT_NAME,
        IN_VALUE;

        static State of(UrlMask.Position position) {
            return switch (position) {
                case START -> BEGUN;
                case PATH -> IN_PATH;
                case NAME -> AT_NAME;
                case VALUE -> IN_VALUE;
            };
        }
    }

    private final UrlMask mask;
    private final IntPredicate hasLostHits;
    private final long[] parsers = new long[PARSERS];
    private final int[] pids = new int[PARSERS];
    /** null = the position is free */
    private final State[] states = new State[PARSERS];
    /** That tells of beginnings. */
    private int beginProbeId;

    /** @param hasLostHits whether any hit of the probe with this id was lost so far */
    UrlPieces(UrlMask mask, IntPredicate hasLostHits) {
        this.mask = mask;
        this.hasLostHits = hasLostHits;
    }

    /** A message begins, as this probe told. */
    void begin(int pid, long parser, int probeId) {
        beginProbeId = probeId;
        put(pid, parser, State.BEGUN);
    }

    /**
     * Copies a piece, absolute from {@code start} to {@code end}.
     *
     * @param isCut whether it goes on behind what is there
     */
    void copy(int pid, long parser, int probeId, ByteBuffer source, int start, int end, boolean isCut) {
        State state = state(pid, parser);
        boolean isPlaceKnown = switch (state) {
            case LOST -> false;
            case BEGUN -> mayBeCopiedFirst(source, start, end);
            case IN_PATH, AT_NAME -> !hasLostHits.test(probeId) && !hasLostHits.test(beginProbeId);
            case IN_VALUE -> true;
        };
        if (!isPlaceKnown) {
            if (state != State.LOST || !isKnown(pid, parser)) {
                mask.mask();
            }
            put(pid, parser, State.LOST);
            return;
        }
        UrlMask.Position after = mask.copy(source, start, end, position(state));
        put(pid, parser, isCut ? State.IN_VALUE : State.of(after));
    }

    /** A piece could not be read. */
    void markUnreadable(int pid, long parser) {
        put(pid, parser, State.LOST);
    }

    /** A path; anything else may hold a password that goes on in the next piece, unless it is whole. */
    private static boolean mayBeCopiedFirst(ByteBuffer source, int start, int end) {
        return start == end
                || source.get(start) == '/'
                || source.get(start) == '*'
                || UrlMask.hasWholeAuthority(source, start, end);
    }

    private static UrlMask.Position position(State state) {
        return switch (state) {
            case BEGUN -> UrlMask.Position.START;
            case IN_PATH -> UrlMask.Position.PATH;
            case AT_NAME -> UrlMask.Position.NAME;
            case LOST, IN_VALUE -> UrlMask.Position.VALUE;
        };
    }

    private State state(int pid, long parser) {
        return isKnown(pid, parser) ? states[index(pid, parser)] : State.LOST;
    }

    private boolean isKnown(int pid, long parser) {
        int index = index(pid, parser);
        return states[index] != null && parsers[index] == parser && pids[index] == pid;
    }

    private void put(int pid, long parser, State state) {
        int index = index(pid, parser);
        parsers[index] = parser;
        pids[index] = pid;
        states[index] = state;
    }

    private static int index(int pid, long parser) {
        return (int) (((parser + pid * SPREAD) * SPREAD) >>> (Long.SIZE - Integer.numberOfTrailingZeros(PARSERS)));
    }
}
