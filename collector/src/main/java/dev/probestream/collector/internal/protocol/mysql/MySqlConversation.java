package dev.probestream.collector.internal.protocol.mysql;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.MessageFramer;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;
import dev.probestream.collector.internal.protocol.RecentNames;
import dev.probestream.collector.internal.protocol.SqlOperation;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.redact.MaskedSql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The protocol of MySQL and MariaDB. A statement is a query (COM_QUERY), the execution of a prepared statement
 * (COM_STMT_EXECUTE), whose number leads to its text, or a preparation that fails.
 *
 * <p>A server answers a command before it takes the next one: at each command the decoding of both directions is reset.
 * A command that is sent before the last one is answered (some clients do that) is answered behind it.
 */
public final class MySqlConversation implements Conversation {
    private static final int MIN_LOGIN_BYTES = 32;
    private static final int CLIENT_COMPRESS = 0x20;
    private static final int CLIENT_SSL = 0x800;
    private static final long LAST_PREPARED = 0xffff_ffffL;

    private static final int COM_QUIT = 0x01;
    private static final int COM_QUERY = 0x03;
    private static final int COM_STMT_PREPARE = 0x16;
    private static final int COM_STMT_EXECUTE = 0x17;
    private static final int COM_STMT_SEND_LONG_DATA = 0x18;
    private static final int COM_STMT_CLOSE = 0x19;
    /** No command has a greater number but those between servers. */
    private static final int MAX_COMMAND = 0xfe;

    private final MaskedSql texts;
    private final StatementSink sink;
    private final MessageFramer client = new MessageFramer(MySqlHeader.PACKET, this::fromClient);
    private final MessageFramer server = new MessageFramer(MySqlHeader.PACKET, this::fromServer);
    private final List<MySqlAnswer> awaited = new ArrayList<>();
    private final Map<Long, String> prepared = new RecentNames<>();
    private String lastPrepared = "";
    /** Bytes of answers were not seen since the last command. */
    private boolean isReadOutOfStep;

    private long longDataBytes;

    public MySqlConversation(MaskedSql texts, StatementSink sink) {
        this.texts = texts;
        this.sink = sink;
    }

    @Override
    public void written(Moment at, byte[] bytes, int start, int end, long missing) throws ProtocolException {
        client.take(at, bytes, start, end);
        if (!client.skip(at, missing)) {
            lost();
        }
    }

    @Override
    public void read(Moment at, byte[] bytes, int start, int end, long missing, byte[] tail, boolean isFirst)
            throws ProtocolException {
        if (awaited.isEmpty()) {
            return; // the greeting and the login, or the rest of what is known already
        }
        if (!isReadOutOfStep) {
            server.take(at, bytes, start, end);
            if (server.skip(at, missing)) {
                return;
            }
            isReadOutOfStep = true;
        }
        if (awaited.isEmpty()) {
            return;
        }
        MySqlAnswer only = awaited.get(0);
        only.receivedUnseen();
        byte[] last = missing > 0 ? tail : bytes;
        int lastStart = missing > 0 ? 0 : start;
        int lastEnd = missing > 0 ? tail.length : end;
        if (awaited.size() == 1 && only.endsIn(last, lastStart, lastEnd)) {
            finish(only, at);
        }
    }

    @Override
    public void lost() {
        awaited.stream()
                .filter(MySqlAnswer::isStatement)
                .map(MySqlAnswer::statement)
                .forEach(sink::unmatched);
        awaited.clear();
        client.reset();
        server.reset();
        isReadOutOfStep = false;
        longDataBytes = 0;
    }

    @Override
    public List<Statement> takeOpen() {
        List<Statement> open = awaited.stream()
                .filter(MySqlAnswer::isStatement)
                .map(MySqlAnswer::statement)
                .toList();
        awaited.clear();
        server.reset();
        return open;
    }

    private void fromClient(MessageFramer packet, Moment end) throws ProtocolException {
        byte[] body = packet.body();
        int kept = packet.keptBytes();
        int number = packet.header()[MySqlHeader.NUMBER_OFFSET] & 0xff;
        if (number != 0) {
            login(number, body, kept);
            if (!awaited.isEmpty()) {
                awaited.get(0).statement().addSent(packet.sizeBytes()); // the file of LOAD DATA LOCAL
            }
            return;
        }
        if (kept == 0 || (body[0] & 0xff) > MAX_COMMAND) {
            throw new ProtocolException("no command of MySQL");
        }
        if (isReadOutOfStep) {
            lost();
        }
        command(packet, body, kept);
    }

    private static void login(int number, byte[] body, int kept) throws ProtocolException {
        long flags = kept < MIN_LOGIN_BYTES || number > 2 ? 0 : MySqlBytes.littleEndian(body, 0, 4);
        if ((flags & CLIENT_COMPRESS) != 0) {
            throw new ProtocolException("the connection is compressed");
        }
        if ((flags & CLIENT_SSL) != 0 && kept == MIN_LOGIN_BYTES) {
            throw new ProtocolException("TLS begins");
        }
    }

    private void command(MessageFramer packet, byte[] body, int kept) {
        switch (body[0]) {
            case COM_QUERY -> {
                String text = texts.of(body, 1, kept, kept < packet.bodyBytes());
                add(packet, SqlOperation.of(text), text, MySqlAnswer.Kind.STATEMENT);
            }
            case COM_STMT_PREPARE -> {
                String text = texts.of(body, 1, kept, kept < packet.bodyBytes());
                lastPrepared = text;
                add(packet, SqlOperation.of(text), text, MySqlAnswer.Kind.PREPARATION);
            }
            case COM_STMT_EXECUTE -> {
                long id = kept < 5 ? LAST_PREPARED : MySqlBytes.littleEndian(body, 1, 4);
                String text = id == LAST_PREPARED ? lastPrepared : prepared.getOrDefault(id, "");
                String operation = text.isEmpty() ? "EXECUTE" : SqlOperation.of(text);
                add(packet, operation, text, MySqlAnswer.Kind.STATEMENT);
            }
            case COM_STMT_SEND_LONG_DATA -> longDataBytes += packet.sizeBytes();
            case COM_STMT_CLOSE -> {
                if (kept >= 5) {
                    prepared.remove(MySqlBytes.littleEndian(body, 1, 4));
                }
            }
            case COM_QUIT -> {}
            default -> add(packet, "", "", MySqlAnswer.Kind.OTHER);
        }
    }

    private void add(MessageFramer packet, String operation, String text, MySqlAnswer.Kind kind) {
        Statement statement = new Statement(packet.begin(), operation, text);
        statement.addSent(packet.sizeBytes() + longDataBytes);
        longDataBytes = 0;
        if (awaited.isEmpty()) {
            server.reset();
        } else if (awaited.size() == MySqlAnswer.MAX_AWAITED) {
            lost();
        }
        awaited.add(new MySqlAnswer(statement, kind));
    }

    private void fromServer(MessageFramer packet, Moment end) throws ProtocolException {
        if (awaited.isEmpty()) {
            return;
        }
        MySqlAnswer first = awaited.get(0);
        if (first.takes(packet)) {
            if (first.kind() == MySqlAnswer.Kind.PREPARATION && first.preparedId() != MySqlBytes.NONE) {
                prepared.put(first.preparedId(), first.statement().text());
            }
            finish(first, end);
        }
    }

    private void finish(MySqlAnswer answer, Moment at) {
        awaited.remove(0);
        isReadOutOfStep &= !awaited.isEmpty();
        if (answer.isReported()) {
            sink.answered(answer.statement(), at);
        }
    }
}
