package dev.probestream.collector.internal.protocol.connection;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.StatementSink;
import dev.probestream.collector.internal.protocol.mysql.MySqlProtocol;
import dev.probestream.collector.internal.protocol.postgres.PostgresProtocol;
import dev.probestream.collector.internal.protocol.redis.RedisProtocol;
import dev.probestream.collector.probe.Disclosure;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The protocols of databases that are understood. A new one has a package of its own, its line here, and its first
 * bytes in {@code is_database_message} (src/main/bpf/stream_bytes.bpf.c), which selects connections in the kernel. They serve
 * all connections of a capture. Not thread-safe.
 */
public final class DatabaseProtocols {
    /** A protocol, and what is said in it on one connection. */
    public record Recognized(DatabaseProtocol protocol, Conversation conversation) {}

    private final List<DatabaseProtocol> protocols;

    /** @param shown what is recorded unmasked */
    public DatabaseProtocols(Disclosure shown) {
        // MySQL last: what it takes for a packet may be a message of another protocol.
        protocols = List.of(new RedisProtocol(shown), new PostgresProtocol(shown), new MySqlProtocol(shown));
    }

    /** Their titles by their names. */
    public static SortedMap<String, String> titles() {
        SortedMap<String, String> titles = new TreeMap<>();
        for (DatabaseProtocol protocol : new DatabaseProtocols(Disclosure.NONE).protocols) {
            titles.put(protocol.name(), protocol.title());
        }
        return titles;
    }

    /** As {@link DatabaseProtocol#recognize}, by the first protocol that does; empty = none of them. */
    public Optional<Recognized> recognize(byte[] bytes, int end, long sizeBytes, StatementSink sink) {
        for (DatabaseProtocol protocol : protocols) {
            Optional<Conversation> found = protocol.recognize(bytes, end, sizeBytes, sink);
            if (found.isPresent()) {
                return found.map(conversation -> new Recognized(protocol, conversation));
            }
        }
        for (DatabaseProtocol protocol : protocols) {
            Optional<Conversation> found = protocol.recognizeBeginning(bytes, end, sizeBytes, sink);
            if (found.isPresent()) {
                return found.map(conversation -> new Recognized(protocol, conversation));
            }
        }
        return Optional.empty();
    }

    /** As {@link DatabaseProtocol#isNewConnection}, of any protocol. */
    public boolean isNewConnection(byte[] bytes, int end, long sizeBytes) {
        return protocols.stream().anyMatch(protocol -> protocol.isNewConnection(bytes, end, sizeBytes));
    }
}
