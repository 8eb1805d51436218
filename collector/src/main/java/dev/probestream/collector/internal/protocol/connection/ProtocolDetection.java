package dev.probestream.collector.internal.protocol.connection;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.protocol.mysql.MySqlConversation;
import dev.probestream.collector.internal.protocol.postgres.PostgresConversation;
import dev.probestream.collector.internal.protocol.redis.RedisConversation;
import dev.probestream.collector.internal.redact.StatementText;
import java.util.Optional;

/** Determines the protocol of a connection by the first bytes that are written. */
final class ProtocolDetection {
    private static final String POSTGRES_LETTERS = "BCDEFHPQSXcdfp";
    private static final int POSTGRES_VERSION = 196_608;
    private static final int POSTGRES_TLS = 80_877_103;
    private static final int POSTGRES_GSSAPI = 80_877_104;
    private static final int MYSQL_MAX_NUMBER = 3;
    private static final int BEGINNING_BYTES = 8;

    private ProtocolDetection() {}

    /**
     * The conversation that begins or goes on with this buffer.
     *
     * @param end of what is known of it
     * @param sizeBytes its size
     */
    static Optional<Conversation> of(byte[] bytes, int end, long sizeBytes, StatementText texts, StatementSink sink) {
        if (end >= 2 && bytes[0] == '*' && bytes[1] >= '1' && bytes[1] <= '9') {
            return Optional.of(new RedisConversation(texts, sink));
        }
        if (isPostgresBeginning(bytes, end, sizeBytes)) {
            return Optional.of(new PostgresConversation(true, texts, sink));
        }
        boolean isMySql = isMySql(bytes, end, sizeBytes);
        if (isPostgres(bytes, end, sizeBytes, isMySql)) {
            return Optional.of(new PostgresConversation(false, texts, sink));
        }
        return isMySql ? Optional.of(new MySqlConversation(texts, sink)) : Optional.empty();
    }

    /** Whether a connection to PostgreSQL begins. */
    static boolean isPostgresBeginning(byte[] bytes, int end, long sizeBytes) {
        if (end < BEGINNING_BYTES || int32(bytes, 0) != sizeBytes) {
            return false;
        }
        long version = int32(bytes, 4);
        return version == POSTGRES_VERSION || version == POSTGRES_TLS || version == POSTGRES_GSSAPI;
    }

    private static boolean isMySql(byte[] bytes, int end, long sizeBytes) {
        return end > 4
                && bytes[3] >= 0
                && bytes[3] <= MYSQL_MAX_NUMBER
                && ((bytes[0] & 0xff) | (bytes[1] & 0xff) << 8 | (bytes[2] & 0xff) << 16) + 4 == sizeBytes;
    }

    /** Whether the buffer begins with messages of a client; where it may be something else, all of it must be. */
    private static boolean isPostgres(byte[] bytes, int end, long sizeBytes, boolean isAll) {
        long at = 0;
        while (at + 5 <= end) {
            long length = int32(bytes, (int) at + 1);
            if (POSTGRES_LETTERS.indexOf(bytes[(int) at]) < 0 || length < 4 || at + 1 + length > sizeBytes) {
                return false;
            }
            at += 1 + length;
            if (!isAll) {
                return true;
            }
        }
        return at > 0 && (at == sizeBytes || end < sizeBytes);
    }

    private static long int32(byte[] bytes, int at) {
        return ((bytes[at] & 0xffL) << 24)
                | ((bytes[at + 1] & 0xff) << 16)
                | ((bytes[at + 2] & 0xff) << 8)
                | (bytes[at + 3] & 0xff);
    }
}
