package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Copies and masks the pieces in which a parser reports a URL. Joined by {@code schema.JoinedUrl}, they equal what {@link
 * UrlMask} makes of the whole URL: a name that ends with its piece is masked and remembered, and if it turns out to have a value, the
 * next piece begins with the name. A name longer than {@value #MAX_NAME_BYTES} bytes that is split stays masked.
 *
 * <p>The meaning of a piece depends on the pieces before it. If these are unknown, the piece is masked completely:
 * before the first message of a parser is seen, in all pieces but the first if a hit was lost, and after a piece that
 * could not be read to its end. Tracks a fixed number of parsers; a parser whose slot is taken by another one becomes
 * unknown.
 */
final class UrlPieces {
    private static final int PARSERS = 1 << 14;
    private static final int MAX_NAME_BYTES = 64;
    private static final byte[] NO_NAME = {};

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
        /** A piece ended within a name, or behind its {@code =}: it is masked and in {@code names}. */
        IN_NAME,
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

    /** Only of parsers that are IN_NAME; others keep null, as few URLs are split. */
    private final byte[][] names = new byte[PARSERS][];
    /** The end of the path so far, of parsers that are IN_PATH; allocated once for each slot. */
    private final ByteBuffer[] tails = new ByteBuffer[PARSERS];

    private final boolean[] areTailsWhole = new boolean[PARSERS];
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
            case IN_PATH, AT_NAME, IN_NAME -> !hasLostHits.test(probeId) && !hasLostHits.test(beginProbeId);
            case IN_VALUE -> true;
        };
        if (!isPlaceKnown) {
            if (state != State.LOST || !isKnown(pid, parser)) {
                mask.mask();
            }
            put(pid, parser, State.LOST);
            return;
        }
        int from = start;
        if (state == State.IN_NAME) {
            byte[] name = appended(names[index(pid, parser)], source, start, UrlMask.partEnd(source, start, end));
            from = UrlMask.partEnd(source, start, end);
            if (UrlMask.hasValue(name)) {
                mask.copyNamed(name);
            } else if (from == end) {
                putName(pid, parser, isCut ? NO_NAME : name);
                return;
            }
        }
        if (state == State.IN_PATH) {
            int index = index(pid, parser);
            mask.resumePath(tails[index], areTailsWhole[index]);
        }
        UrlMask.Position after = mask.copy(source, from, end, position(state), isCut);
        if (after == UrlMask.Position.PATH) {
            keepTail(index(pid, parser), source, mask.pathStart(), end, state == State.IN_PATH);
        }
        int name = isCut || after != UrlMask.Position.VALUE ? end : openName(source, from, end, state);
        if (name < end) {
            putName(pid, parser, appended(NO_NAME, source, name, end));
        } else {
            put(pid, parser, isCut ? State.IN_VALUE : State.of(after));
        }
    }

    /** Index of the name with which the piece ends and of which it is unknown whether it has a value; {@code end} if there is none. */
    private static int openName(ByteBuffer source, int start, int end, State state) {
        boolean isInQuery = state == State.AT_NAME || state == State.IN_NAME || state == State.IN_VALUE;
        int first = isInQuery ? start : UrlMask.queryStart(source, start, end);
        int last = end;
        while (last > first && source.get(last - 1) != '&') {
            last--;
        }
        boolean isWithinValue = last == start && (state == State.IN_VALUE || state == State.IN_NAME);
        return !isWithinValue && UrlMask.mayBeName(source, last, end) ? last : end;
    }

    /** Keeps the last bytes of a path, which may go on in another piece. */
    private void keepTail(int index, ByteBuffer source, int start, int end, boolean isContinued) {
        if (tails[index] == null) {
            tails[index] = ByteBuffer.allocate(PathMask.MAX_TAIL_BYTES);
        }
        ByteBuffer tail = tails[index];
        if (!isContinued) {
            tail.clear();
            areTailsWhole[index] = true;
        }
        int from = Math.max(start, end - tail.capacity());
        int dropped = tail.position() + end - from - tail.capacity();
        areTailsWhole[index] &= from == start && dropped <= 0;
        if (dropped > 0) {
            tail.flip().position(dropped);
            tail.compact();
        }
        for (int i = from; i < end; i++) {
            tail.put(source.get(i));
        }
    }

    private static byte[] appended(byte[] name, ByteBuffer source, int start, int end) {
        byte[] all = Arrays.copyOf(name, name.length + end - start);
        for (int i = start; i < end; i++) {
            all[name.length + i - start] = source.get(i);
        }
        return all;
    }

    private void putName(int pid, long parser, byte[] name) {
        boolean isKept = name.length > 0 && name.length <= MAX_NAME_BYTES;
        put(pid, parser, isKept ? State.IN_NAME : State.IN_VALUE);
        if (isKept) {
            names[index(pid, parser)] = name;
        }
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
            case LOST, IN_NAME, IN_VALUE -> UrlMask.Position.VALUE;
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
