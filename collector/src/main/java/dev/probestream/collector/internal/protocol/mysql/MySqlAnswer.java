package dev.probestream.collector.internal.protocol.mysql;

import dev.probestream.collector.internal.protocol.MessageFramer;
import dev.probestream.collector.internal.protocol.ProtocolException;
import dev.probestream.collector.internal.protocol.Statement;

/**
 * The answer to a command of MySQL, packet by packet:
 *
 * <pre>
 *   OK (0x00) or ERR (0xff)                                      also again, if the status announces more results
 *   number of columns, as many definitions, EOF, rows, EOF       the first EOF only without CLIENT_DEPRECATE_EOF, whose last one is an OK
 *   of a preparation: OK with its number; definitions follow, which nothing is read from
 * </pre>
 */
final class MySqlAnswer {
    /** More are not awaited at once. */
    static final int MAX_AWAITED = 4096;

    private static final int OK = 0x00;
    private static final int LOCAL_INFILE = 0xfb;
    private static final int EOF = 0xfe;
    private static final int ERR = 0xff;
    private static final int EOF_BYTES = 5;
    /** Of an OK that stands for an EOF: from 7 bytes, and less than a row that begins with a long text. */
    private static final int MAX_EOF_BYTES = 0xff_fffe;

    private static final int SERVER_MORE_RESULTS_EXISTS = 0x08;
    private static final int SERVER_STATUS_CURSOR_EXISTS = 0x40;

    /** What the command was. */
    enum Kind {
        STATEMENT,
        PREPARATION,
        /** A ping, another database: not reported. */
        OTHER
    }

    private enum Step {
        FIRST,
        COLUMNS,
        BEHIND_COLUMNS,
        ROWS
    }

    private final Statement statement;
    private final Kind kind;
    private Step step = Step.FIRST;
    private long columns;
    private long rows;
    private boolean isUnseen;
    private boolean hasBegun;
    private boolean hasFailed;
    private long preparedId = MySqlBytes.NONE;

    MySqlAnswer(Statement statement, Kind kind) {
        this.statement = statement;
        this.kind = kind;
    }

    Statement statement() {
        return statement;
    }

    Kind kind() {
        return kind;
    }

    /** The number of what was prepared; NONE if it failed. */
    long preparedId() {
        return preparedId;
    }

    boolean isStatement() {
        return kind == Kind.STATEMENT;
    }

    boolean isReported() {
        return isStatement() || (kind == Kind.PREPARATION && hasFailed);
    }

    /** Bytes of it were not seen. */
    void receivedUnseen() {
        isUnseen = true;
        statement.forgetRows();
    }

    /** Takes a packet; returns whether it is the last one. */
    boolean takes(MessageFramer packet) throws ProtocolException {
        int number = packet.header()[MySqlHeader.NUMBER_OFFSET];
        if (!hasBegun && number != 1) {
            return false; // of what came before: definitions of a preparation
        }
        hasBegun = true;
        statement.addReceived(packet.sizeBytes());
        byte[] body = packet.body();
        int kept = packet.keptBytes();
        if (kept == 0) {
            throw new ProtocolException("a packet of MySQL without a body");
        }
        int first = body[0] & 0xff;
        if (first == ERR) {
            return fails(body, kept);
        }
        return switch (step) {
            case FIRST -> begins(packet, first, body, kept);
            case COLUMNS -> {
                columns--;
                step = columns == 0 ? Step.BEHIND_COLUMNS : step;
                yield false;
            }
            case BEHIND_COLUMNS -> {
                step = Step.ROWS;
                boolean isEnd = first == EOF && packet.bodyBytes() == EOF_BYTES;
                boolean hasCursor = isEnd && (MySqlBytes.littleEndian(body, 3, 2) & SERVER_STATUS_CURSOR_EXISTS) != 0;
                yield isEnd ? hasCursor : row(packet, first, body, kept);
            }
            case ROWS -> row(packet, first, body, kept);
        };
    }

    private boolean fails(byte[] body, int kept) {
        hasFailed = true;
        statement.replied("ERR");
        statement.failed(kept < 3 ? "?" : Long.toString(MySqlBytes.littleEndian(body, 1, 2)));
        return true;
    }

    private boolean begins(MessageFramer packet, int first, byte[] body, int kept) throws ProtocolException {
        if (kind == Kind.PREPARATION) {
            preparedId = first == OK && kept >= 5 ? MySqlBytes.littleEndian(body, 1, 4) : MySqlBytes.NONE;
            return true;
        }
        if (kind == Kind.OTHER) {
            return true;
        }
        if (first == OK) {
            statement.replied("OK");
            statement.addRows(MySqlBytes.encoded(body, 1, kept));
            return !hasMore(status(body, kept, 1));
        }
        if (first == LOCAL_INFILE) {
            return false;
        }
        columns = MySqlBytes.encoded(body, 0, kept);
        if (columns <= 0) {
            throw new ProtocolException("no answer of MySQL");
        }
        rows = 0;
        statement.replied("ROWS");
        // MariaDB may leave out definitions that the client knows: then a 0 follows the number.
        boolean areLeftOut = MySqlBytes.encodedSize(body, 0, kept) + 1 == packet.bodyBytes() && body[kept - 1] == 0;
        step = areLeftOut ? Step.BEHIND_COLUMNS : Step.COLUMNS;
        return false;
    }

    private boolean row(MessageFramer packet, int first, byte[] body, int kept) {
        if (first != EOF || packet.bodyBytes() > MAX_EOF_BYTES) {
            rows++;
            return false;
        }
        if (!isUnseen) {
            statement.addRows(rows);
        }
        step = Step.FIRST;
        return !hasMore(
                packet.bodyBytes() == EOF_BYTES ? (int) MySqlBytes.littleEndian(body, 3, 2) : status(body, kept, 1));
    }

    /** The status of an OK: behind two length-encoded numbers. */
    private static int status(byte[] body, int kept, int start) {
        int at = start + MySqlBytes.encodedSize(body, start, kept);
        at += MySqlBytes.encodedSize(body, at, kept);
        return at + 2 <= kept ? (int) MySqlBytes.littleEndian(body, at, 2) : 0;
    }

    private static boolean hasMore(int status) {
        return (status & SERVER_MORE_RESULTS_EXISTS) != 0;
    }

    /** Whether the last bytes of what was read are the end of rows: an EOF, or an OK without a text that stands for one. */
    boolean endsIn(byte[] bytes, int start, int end) {
        int eof = end - MySqlHeader.SIZE_BYTES - EOF_BYTES;
        int ok = eof - 2;
        boolean isInRows = step == Step.ROWS; // else it may be the end of the definitions
        return isInRows
                && ((eof >= start && isEnd(bytes, eof, EOF_BYTES, 7))
                        || (ok >= start
                                && isEnd(bytes, ok, EOF_BYTES + 2, 7)
                                && bytes[ok + 5] == 0
                                && bytes[ok + 6] == 0));
    }

    private static boolean isEnd(byte[] bytes, int at, int bodyBytes, int statusOffset) {
        return MySqlBytes.littleEndian(bytes, at, 3) == bodyBytes
                && (bytes[at + MySqlHeader.SIZE_BYTES] & 0xff) == EOF
                && !hasMore((int) MySqlBytes.littleEndian(bytes, at + statusOffset, 2));
    }
}
