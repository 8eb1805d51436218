package dev.probestream.collector.internal.protocol.postgres;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.redact.MaskedSql;
import dev.probestream.collector.probe.Disclosure;
import java.util.Optional;

/**
 * PostgreSQL's protocol, version 3: a message is a letter and a length, big-endian, that counts itself. The first one of a
 * connection has no letter.
 */
public final class PostgresProtocol implements DatabaseProtocol {
    private static final String LETTERS = "BCDEFHPQSXcdfp";
    private static final int VERSION = 196_608;
    private static final int TLS = 80_877_103;
    private static final int GSSAPI = 80_877_104;
    private static final int HEADER_BYTES = 5;
    private static final int BEGINNING_BYTES = 8;

    private final MaskedSql texts;
    private final PostgresTrial.Clients clients = new PostgresTrial.Clients();

    /** @param shown what is recorded unmasked */
    public PostgresProtocol(Disclosure shown) {
        this.texts = MaskedSql.standard(shown);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public String title() {
        return "PostgreSQL";
    }

    @Override
    public Optional<Conversation> recognize(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        boolean isBeginning = isNewConnection(bytes, end, sizeBytes);
        return isBeginning || areMessages(bytes, end, sizeBytes)
                ? Optional.of(new PostgresConversation(isBeginning, texts, clients, sink))
                : Optional.empty();
    }

    @Override
    public boolean isNewConnection(byte[] bytes, int end, long sizeBytes) {
        if (end < BEGINNING_BYTES || int32(bytes, 0) != sizeBytes) {
            return false;
        }
        long version = int32(bytes, 4);
        return version == VERSION || version == TLS || version == GSSAPI;
    }

    @Override
    public Optional<Conversation> recognizeBeginning(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        return isMessage(bytes, 0, end, sizeBytes)
                ? Optional.of(new PostgresConversation(false, texts, clients, sink))
                : Optional.empty();
    }

    /** Whether all that is known of the buffer are messages of a client: the first one may be a packet of MySQL as well. */
    private static boolean areMessages(byte[] bytes, int end, long sizeBytes) {
        long at = 0;
        while (at + HEADER_BYTES <= end) {
            if (!isMessage(bytes, (int) at, end, sizeBytes)) {
                return false;
            }
            at += 1 + int32(bytes, (int) at + 1);
        }
        return at > 0 && (at == sizeBytes || end < sizeBytes);
    }

    private static boolean isMessage(byte[] bytes, int at, int end, long sizeBytes) {
        if (at + HEADER_BYTES > end || LETTERS.indexOf(bytes[at]) < 0) {
            return false;
        }
        long length = int32(bytes, at + 1);
        return length >= 4 && at + 1 + length <= sizeBytes;
    }

    private static long int32(byte[] bytes, int at) {
        return ((bytes[at] & 0xffL) << 24)
                | ((bytes[at + 1] & 0xff) << 16)
                | ((bytes[at + 2] & 0xff) << 8)
                | (bytes[at + 3] & 0xff);
    }
}
