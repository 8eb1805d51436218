package dev.probestream.collector.redact;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Copies and masks the pieces in which a parser reports a URL. Joined, they equal what {@link UrlMask} makes of the
 * whole URL, except that a name split between two pieces is masked.
 *
 * <p>The meaning of a piece depends on the pieces before it. If these are unknown, the piece is masked completely:
 * before the first message of a parser is seen, in all pieces but the first if a hit was lost, and after a piece that
 * could not be read to its end. Tracks a fixed number of parsers; a parser whose slot is taken by another one becomes
 * unknown.
 */
final class UrlPieces {
    private static final int PARSERS = 1 << 14;

    /** Spreads pointers, whose lower bits are alike: 2^64 divided by the golden ratio. */
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    /** What is known about a parser. */
    private enum State {
        /** The position is unknown, and a mask was written instead of a piece. */
        LOST,
        /** A message has begun; no piece of its URL has been seen. */
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
    /** null = the slot is free */
    private final State[] states = new State[PARSERS];
    /** The probe that reports the beginning of messages. */
    private int beginProbeId;

    /** @param hasLostHits whether any hit of the probe with this id was lost */
    UrlPieces(UrlMask mask, IntPredicate hasLostHits) {
        this.mask = mask;
        this.hasLostHits = hasLostHits;
    }

    /** Records that a message begins, as reported by the given probe. */
    void begin(int pid, long parser, int probeId) {
        beginProbeId = probeId;
        put(pid, parser, State.BEGUN);
    }

    /**
     * Copies the piece from {@code start} to {@code end} (absolute).
     *
     * @param isCut whether the piece continues after {@code end}
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

    /** Records that a piece could not be read. */
    void markUnreadable(int pid, long parser) {
        put(pid, parser, State.LOST);
    }

    /**
     * Whether the first piece of a URL is safe to copy: a path, or a complete authority. Otherwise it may contain the
     * beginning of a password that continues in the next piece.
     */
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
