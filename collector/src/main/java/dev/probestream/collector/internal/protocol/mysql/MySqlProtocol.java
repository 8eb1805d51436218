package dev.probestream.collector.internal.protocol.mysql;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.redact.MaskedSql;
import dev.probestream.collector.probe.Disclosure;
import java.util.Optional;

/** That of MySQL and MariaDB: a packet has 3 bytes of length, little-endian, and its number, which counts from 0 in a command. */
public final class MySqlProtocol implements DatabaseProtocol {
    /** Of a client's answers to a greeting. */
    private static final int MAX_NUMBER = 3;

    private static final int HEADER_BYTES = 4;

    private final MaskedSql texts;

    /** @param shown what is recorded unmasked */
    public MySqlProtocol(Disclosure shown) {
        this.texts = MaskedSql.ofMySql(shown);
    }

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public String title() {
        return "MySQL";
    }

    @Override
    public Optional<Conversation> recognize(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        return end > HEADER_BYTES
                        && bytes[3] >= 0
                        && bytes[3] <= MAX_NUMBER
                        && ((bytes[0] & 0xff) | (bytes[1] & 0xff) << 8 | (bytes[2] & 0xff) << 16) + HEADER_BYTES
                                == sizeBytes
                ? Optional.of(new MySqlConversation(texts, sink))
                : Optional.empty();
    }
}
