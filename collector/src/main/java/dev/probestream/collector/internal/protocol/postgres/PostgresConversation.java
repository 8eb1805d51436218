package dev.probestream.collector.internal.protocol.postgres;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.MessageFramer;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;
import dev.probestream.collector.internal.protocol.RecentNames;
import dev.probestream.collector.internal.protocol.SqlOperation;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.redact.MaskedSql;
import java.util.List;
import java.util.Map;

/**
 * PostgreSQL's protocol. A statement is a simple query (Q), which ends at ReadyForQuery, or an Execute (E) of a portal, whose text its
 * Bind and Parse lead to, and which ends at its tag or, being the last before a Sync, at ReadyForQuery. A Parse or Bind without
 * an Execute is one only if it fails.
 *
 * <p>A connection whose beginning was not seen, or of which bytes were lost, is taken up again at the first write behind a read
 * that ends with as many ReadyForQuery as were asked for. Its answers are passed on when a {@link PostgresTrial} is over.
 */
public final class PostgresConversation implements Conversation {
    private static final int BEGINNING_TLS = 80_877_103;
    private static final int BEGINNING_GSSAPI = 80_877_104;
    private static final int BEGINNING_CANCEL = 80_877_102;
    private static final int CODE_BYTES = 4;

    private final MaskedSql texts;
    private final MessageFramer client;
    private final MessageFramer server = new MessageFramer(PostgresHeader.SERVER, this::fromServer);
    private final PostgresAnswers answers;
    private final Map<String, String> prepared = new RecentNames<>();
    private final Map<String, String> portals = new RecentNames<>();
    /** Bytes of messages before an Execute, and when the first of them was written. */
    private long preparingBytes;

    private Moment preparing = Moment.UNKNOWN;
    /** The text of the last Parse without an Execute. */
    private String parsed = "";

    private boolean isAnswerToTls;
    /** Whether what is read is where a message begins, as far as is known. */
    private boolean isReadInStep = true;

    /** Of a connection that is the only one of the recording; {@code isBeginning}: whether its first message comes next. */
    public PostgresConversation(boolean isBeginning, MaskedSql texts, StatementSink sink) {
        this(isBeginning, texts, new PostgresTrial.Clients(), sink);
    }

    /** @param isBeginning whether the first message of the connection comes next */
    PostgresConversation(boolean isBeginning, MaskedSql texts, PostgresTrial.Clients clients, StatementSink sink) {
        this.texts = texts;
        this.client =
                new MessageFramer(isBeginning ? PostgresHeader.BEGINNING : PostgresHeader.CLIENT, this::fromClient);
        this.answers = new PostgresAnswers(sink, clients, isBeginning);
        this.isReadInStep = isBeginning;
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
        int from = start;
        if (isAnswerToTls && from < end) {
            isAnswerToTls = false;
            from++;
        }
        if (!isReadInStep) {
            outOfStep(at, bytes, from, end, missing, tail);
            return;
        }
        server.take(at, bytes, from, end);
        if (!server.skip(at, missing)) {
            isReadInStep = false;
            answers.skipped();
            outOfStep(at, bytes, end, end, missing, tail);
        }
    }

    /** Looks only whether the bytes end where the server is ready. */
    private void outOfStep(Moment at, byte[] bytes, int start, int end, long missing, byte[] tail) {
        byte[] last = missing > 0 ? tail : bytes;
        int lastStart = missing > 0 ? 0 : start;
        int lastEnd = missing > 0 ? tail.length : end;
        answers.receivedUnseen(end - start + missing);
        if (PostgresBytes.endsReady(last, lastStart, lastEnd)) {
            answers.readyBehindUnseen(at, PostgresBytes.lastTag(last, lastStart, lastEnd));
            server.reset();
            isReadInStep = true;
        }
    }

    @Override
    public void lost() {
        client.reset();
        client.expect(PostgresHeader.CLIENT);
        server.reset();
        isReadInStep = false;
        preparingBytes = 0;
        isAnswerToTls = false;
        answers.lose();
    }

    @Override
    public List<Statement> takeOpen() {
        return answers.takeOpen();
    }

    private void fromClient(MessageFramer message, Moment end) throws ProtocolException {
        byte[] body = message.body();
        int kept = message.keptBytes();
        if (message.sizeBytes() - message.bodyBytes() == PostgresHeader.BEGINNING.sizeBytes()) {
            beginning(body, kept);
            return;
        }
        switch (message.header()[0]) {
            case 'Q' -> {
                int textEnd = PostgresBytes.textEnd(body, 0, kept);
                String text = texts.of(body, 0, textEnd, kept < message.bodyBytes());
                query(message.begin(), text, message.sizeBytes());
            }
            case 'P' -> parse(message, body, kept);
            case 'B' -> bind(message, body, kept);
            case 'D', 'H' -> prepare(message);
            case 'E' -> execute(message, PostgresBytes.text(body, 0, PostgresBytes.textEnd(body, 0, kept)));
            case 'C' -> {
                prepare(message);
                if (kept > 1 && body[0] == 'S') {
                    prepared.remove(PostgresBytes.text(body, 1, PostgresBytes.textEnd(body, 1, kept)));
                }
            }
            case 'S' -> {
                answers.sync(preparing(message), parsed, preparingBytes + message.sizeBytes());
                parsed = "";
                preparingBytes = 0;
            }
            case 'F' -> query(message.begin(), "", message.sizeBytes());
            case 'c', 'd', 'f' -> answers.copied(message.sizeBytes());
            default -> {} // p: a password, X: the end
        }
    }

    private void beginning(byte[] body, int kept) throws ProtocolException {
        long code = kept < CODE_BYTES ? 0 : PostgresBytes.int32(body, 0);
        if (code == BEGINNING_CANCEL || kept < CODE_BYTES) {
            throw new ProtocolException("a request to cancel, or no beginning");
        }
        isAnswerToTls = code == BEGINNING_TLS || code == BEGINNING_GSSAPI;
        if (!isAnswerToTls) {
            client.expect(PostgresHeader.CLIENT);
        }
    }

    private void query(Moment begin, String text, long sizeBytes) {
        Statement statement = new Statement(begin, SqlOperation.of(text), text);
        statement.addSent(sizeBytes);
        answers.query(statement);
    }

    private Moment preparing(MessageFramer message) {
        return preparingBytes == 0 ? message.begin() : preparing;
    }

    private void prepare(MessageFramer message) {
        preparing = preparing(message);
        preparingBytes += message.sizeBytes();
    }

    private void parse(MessageFramer message, byte[] body, int kept) {
        prepare(message);
        int nameEnd = PostgresBytes.textEnd(body, 0, kept);
        int textEnd = PostgresBytes.textEnd(body, Math.min(kept, nameEnd + 1), kept);
        String text = texts.of(body, Math.min(textEnd, nameEnd + 1), textEnd, textEnd == kept);
        prepared.put(PostgresBytes.text(body, 0, nameEnd), text);
        parsed = text;
    }

    private void bind(MessageFramer message, byte[] body, int kept) {
        prepare(message);
        int portalEnd = PostgresBytes.textEnd(body, 0, kept);
        int nameEnd = PostgresBytes.textEnd(body, Math.min(kept, portalEnd + 1), kept);
        String name = PostgresBytes.text(body, Math.min(nameEnd, portalEnd + 1), nameEnd);
        String text = prepared.getOrDefault(name, "");
        portals.put(PostgresBytes.text(body, 0, portalEnd), text);
        parsed = text;
    }

    private void execute(MessageFramer message, String portal) {
        String text = portals.getOrDefault(portal, "");
        String operation = text.isEmpty() ? "EXECUTE" : SqlOperation.of(text);
        Statement statement = new Statement(preparing(message), operation, text);
        statement.addSent(preparingBytes + message.sizeBytes());
        answers.execute(statement);
        preparingBytes = 0;
        parsed = "";
    }

    private void fromServer(MessageFramer message, Moment end) {
        byte[] body = message.body();
        int kept = message.keptBytes();
        long size = message.sizeBytes();
        switch (message.header()[0]) {
            case 'C', 'I', 's' -> {
                boolean isTag = message.header()[0] == 'C';
                String tag = isTag ? PostgresBytes.text(body, 0, PostgresBytes.textEnd(body, 0, kept)) : "";
                answers.completed(end, tag, size);
            }
            case 'E' -> answers.failed(end, PostgresBytes.sqlState(body, kept), size);
            case 'Z' -> answers.ready(end, size);
            case 'A', 'N', 'S' -> {} // may be sent at any time
            default -> answers.received(size);
        }
    }
}
