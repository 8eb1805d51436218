package dev.probestream.collector.internal.protocol.redis;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.probe.Disclosure;
import java.util.Optional;

/** RESP: a command is an array of bulk strings, {@code *} and how many. */
public final class RedisProtocol implements DatabaseProtocol {
    private final RedisText texts;

    /** @param shown what is recorded unmasked */
    public RedisProtocol(Disclosure shown) {
        this.texts = new RedisText(shown);
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public String title() {
        return "Redis";
    }

    @Override
    public Optional<Conversation> recognize(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        boolean isArray = end >= 2 && bytes[0] == '*' && bytes[1] >= '1' && bytes[1] <= '9';
        return isArray && (end == 2 || bytes[2] == '\r' || isDigit(bytes[2]))
                ? Optional.of(new RedisConversation(texts, sink))
                : Optional.empty();
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }
}
