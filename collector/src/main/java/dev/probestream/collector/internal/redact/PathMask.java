package dev.probestream.collector.internal.redact;

import java.nio.ByteBuffer;

/**
 * Copies the path of a URL or of a file, and masks the segments that may be a secret ({@link PathToken}): those that look
 * random, and those within two segments behind a word such as {@code reset} ({@link PathWords}) that are neither words nor
 * numbers. Of parameters in a URL's segment ({@code ;jsessionid=x}) only the names are copied.
 *
 * <p>A path may come in pieces: {@link #resume} takes the end of what came before. Takes linear time and allocates nothing.
 * Not thread-safe.
 */
final class PathMask {
    /** Of the path before a piece as much is looked at. */
    static final int MAX_TAIL_BYTES = 128;

    /** Behind a word so many segments are judged strictly: {@code /reset/USER/TOKEN}. */
    private static final int SEGMENTS_BEHIND_WORD = 2;

    private final ByteBuffer out;
    private final boolean isFile;
    private final boolean areTokensShown;

    /** The segments left that are judged strictly. */
    private int strictLeft;
    /** The segments left in which hashes of content are expected. */
    private int hashesLeft;
    /** Whether the rest of the path names code that is installed. */
    private boolean isCode;
    /** The segment that the piece before ended in, with room for its continuation. */
    private final ByteBuffer open = ByteBuffer.allocate(2 * MAX_TAIL_BYTES);

    private boolean isOpenUnknown;

    /**
     * @param out receives the copy; its capacity must be twice the length of the path
     * @param isFile whether the path is that of a file, not of a URL
     * @param areTokensShown whether only the parameters of segments are masked
     */
    PathMask(ByteBuffer out, boolean isFile, boolean areTokensShown) {
        this.out = out;
        this.isFile = isFile;
        this.areTokensShown = areTokensShown;
    }

    /** Begins a path. */
    void begin() {
        strictLeft = 0;
        hashesLeft = 0;
        isCode = false;
        open.clear();
        isOpenUnknown = false;
    }

    /**
     * Goes on with a path.
     *
     * @param tail the last bytes of what came before, at most {@link #MAX_TAIL_BYTES}
     * @param isWhole whether these are all
     */
    void resume(ByteBuffer tail, int start, int end, boolean isWhole) {
        begin();
        strictLeft = isWhole ? 0 : SEGMENTS_BEHIND_WORD;
        int at = start;
        for (int next = segmentEnd(tail, at, end); next < end; next = segmentEnd(tail, at, end)) {
            endSegment(tail, at, next);
            at = next + 1;
        }
        for (int i = at; i < end; i++) {
            open.put(tail.get(i));
        }
        isOpenUnknown = at == start && !isWhole;
    }

    /**
     * Copies what is between, all of it path.
     *
     * @param isCut whether the last segment continues elsewhere, unread: it is judged strictly
     */
    void copy(ByteBuffer source, int start, int end, boolean isCut) {
        int at = start;
        if (open.position() > 0 && start < end) {
            at = copyContinuation(source, start, end);
        }
        while (at < end) {
            int segmentEnd = segmentEnd(source, at, end);
            copySegment(source, at, segmentEnd, isCut && segmentEnd == end);
            endSegment(source, at, segmentEnd);
            at = copySlash(segmentEnd, end);
        }
    }

    /** Copies the rest of the segment that the piece before ended in; returns the index behind it and its slash. */
    private int copyContinuation(ByteBuffer source, int start, int end) {
        int segmentEnd = segmentEnd(source, start, end);
        int before = open.position();
        boolean isKnown = !isOpenUnknown && segmentEnd - start <= open.remaining();
        boolean wasMasked = isKnown && isToken(open, 0, before, false);
        for (int i = start; i < segmentEnd && isKnown; i++) {
            open.put(source.get(i));
        }
        if (isKnown && !isToken(open, 0, open.position(), false) && !hasParameter(open, open.position())) {
            copyPlain(source, start, segmentEnd);
        } else if (!wasMasked && segmentEnd > start) {
            Mask.write(out);
        }
        endSegment(open, 0, open.position());
        open.clear();
        isOpenUnknown = false;
        return copySlash(segmentEnd, end);
    }

    private boolean hasParameter(ByteBuffer segment, int end) {
        return !isFile && find(segment, ';', 0, end) < end;
    }

    private int copySlash(int at, int end) {
        if (at < end) {
            out.put((byte) '/');
        }
        return at + 1;
    }

    private void copySegment(ByteBuffer source, int start, int end, boolean isCut) {
        int nameEnd = isFile ? end : find(source, ';', start, end);
        int equals = find(source, '=', start, nameEnd);
        if (equals < nameEnd && !isCode && !areTokensShown && SecretName.is(source, start, equals)) {
            copyPlain(source, start, equals + 1);
            if (equals + 1 < nameEnd) {
                Mask.write(out);
            }
        } else if (isToken(source, start, nameEnd, isCut)) {
            Mask.write(out);
        } else {
            copyPlain(source, start, nameEnd);
        }
        for (int at = nameEnd; at < end; ) {
            int parameterEnd = find(source, ';', at + 1, end);
            copyParameter(source, at, parameterEnd);
            at = parameterEnd;
        }
    }

    /** Copies {@code ;name=} and masks the value; a parameter without a name is masked. */
    private void copyParameter(ByteBuffer source, int semicolon, int end) {
        int equals = find(source, '=', semicolon, end);
        int value = equals < end ? equals + 1 : semicolon + 1;
        copyPlain(source, semicolon, value);
        if (value < end) {
            Mask.write(out);
        }
    }

    private boolean isToken(ByteBuffer source, int start, int end, boolean isCut) {
        return !isCode
                && !areTokensShown
                && PathToken.is(source, start, end, isFile, strictLeft > 0 || isCut, hashesLeft > 0);
    }

    /** Takes from a segment what it means for those behind it. */
    private void endSegment(ByteBuffer source, int start, int end) {
        if (start == end) {
            return;
        }
        boolean isTokenNext = PathWords.announcesToken(source, start, end, isFile);
        boolean isHashNext = PathWords.announcesHash(source, start, end, isFile);
        // A folder of two hexadecimal digits may be part of a store of sessions.
        int strictThen = isHashNext && !PathWords.isHexFolder(source, start, end) ? 0 : Math.max(0, strictLeft - 1);
        strictLeft = isTokenNext ? SEGMENTS_BEHIND_WORD : strictThen;
        hashesLeft = isHashNext ? SEGMENTS_BEHIND_WORD : Math.max(0, hashesLeft - 1);
        isCode |= PathWords.isCodeFolder(source, start, end);
    }

    private static int segmentEnd(ByteBuffer source, int at, int end) {
        return find(source, '/', at, end);
    }

    private void copyPlain(ByteBuffer source, int start, int end) {
        for (int i = start; i < end; i++) {
            out.put(source.get(i));
        }
    }

    private static int find(ByteBuffer source, char wanted, int start, int end) {
        int at = start;
        while (at < end && source.get(at) != wanted) {
            at++;
        }
        return at;
    }
}
