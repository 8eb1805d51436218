package dev.probestream.collector.internal.protocol.postgres;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.probestream.collector.internal.protocol.Statement;
import java.util.Map;
import java.util.Set;

/** Parts of PostgreSQL's messages. */
final class PostgresBytes {
    /** ReadyForQuery: Z, its length, and how the transaction is. */
    private static final byte[] READY = {'Z', 0, 0, 0, 5};

    private static final int READY_BYTES = 6;
    private static final int HEADER_BYTES = 5;
    private static final int MAX_TAG_BYTES = 64;

    /** The words that tags may begin with, of statements that have one of their own. */
    private static final Map<String, Set<String>> TAGS = Map.of(
            "SELECT", Set.of("SELECT"),
            "INSERT", Set.of("INSERT"),
            "UPDATE", Set.of("UPDATE"),
            "DELETE", Set.of("DELETE"),
            "MERGE", Set.of("MERGE"),
            "BEGIN", Set.of("BEGIN"),
            "COMMIT", Set.of("COMMIT", "ROLLBACK"),
            "ROLLBACK", Set.of("ROLLBACK"));

    private PostgresBytes() {}

    /** Whether a tag may be the first one that answers a statement; the operation is as {@code SqlOperation} has it. */
    static boolean isPossible(String operation, String tag) {
        Set<String> tags = TAGS.get(firstWord(operation));
        return tags == null || tags.contains(firstWord(tag));
    }

    private static String firstWord(String text) {
        int blank = text.indexOf(' ');
        return blank < 0 ? text : text.substring(0, blank);
    }

    static long int32(byte[] bytes, int at) {
        return ((bytes[at] & 0xffL) << 24)
                | ((bytes[at + 1] & 0xff) << 16)
                | ((bytes[at + 2] & 0xff) << 8)
                | (bytes[at + 3] & 0xff);
    }

    /** The index of the NUL that ends the text at {@code start}; {@code end} if there is none. */
    static int textEnd(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    static String text(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, ISO_8859_1);
    }

    /** The number of rows in a tag: {@code SELECT 3}, {@code INSERT 0 3}; unknown if none. */
    static long rows(String tag) {
        int blank = tag.lastIndexOf(' ');
        if (blank < 0 || tag.length() - blank > 19 || blank + 1 == tag.length()) {
            return Statement.UNKNOWN_ROWS;
        }
        long rows = 0;
        for (int i = blank + 1; i < tag.length(); i++) {
            if (tag.charAt(i) < '0' || tag.charAt(i) > '9') {
                return Statement.UNKNOWN_ROWS;
            }
            rows = rows * 10 + tag.charAt(i) - '0';
        }
        return rows;
    }

    /** The SQLSTATE of an ErrorResponse: the field C. */
    static String sqlState(byte[] bytes, int end) {
        for (int at = 0; at < end && bytes[at] != 0; ) {
            int textEnd = textEnd(bytes, at + 1, end);
            if (bytes[at] == 'C' && textEnd - at - 1 == 5) {
                return text(bytes, at + 1, textEnd);
            }
            at = textEnd + 1;
        }
        return "?????";
    }

    /** Whether the bytes end with a ReadyForQuery. */
    static boolean endsReady(byte[] bytes, int start, int end) {
        int at = end - READY_BYTES;
        boolean ends = at >= start && "ITE".indexOf(bytes[end - 1]) >= 0;
        for (int i = 0; i < READY.length && ends; i++) {
            ends = bytes[at + i] == READY[i];
        }
        return ends;
    }

    /** The tag of the CommandComplete that stands before the ReadyForQuery at the end of these bytes; "" if there is none. */
    static String lastTag(byte[] bytes, int start, int end) {
        int ready = end - READY_BYTES;
        for (int at = ready - HEADER_BYTES - 2; at >= Math.max(start, ready - HEADER_BYTES - MAX_TAG_BYTES); at--) {
            if (bytes[at] == 'C' && int32(bytes, at + 1) == ready - at - 1 && bytes[ready - 1] == 0) {
                String tag = text(bytes, at + HEADER_BYTES, ready - 1);
                if (tag.matches("[A-Z][A-Z ]*[A-Z0-9 ]*")) {
                    return tag;
                }
            }
        }
        return "";
    }
}
