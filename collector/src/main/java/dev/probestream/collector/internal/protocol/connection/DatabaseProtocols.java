package dev.probestream.collector.internal.protocol.connection;

import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.mysql.MySqlProtocol;
import dev.probestream.collector.internal.protocol.postgres.PostgresProtocol;
import dev.probestream.collector.internal.protocol.redis.RedisProtocol;
import dev.probestream.collector.probe.Disclosure;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The protocols of databases that are understood. A new one has a package of its own, and its line here. */
public final class DatabaseProtocols {
    private DatabaseProtocols() {}

    /**
     * All, the strictest first: what the last ones take for a message may be one of another protocol.
     *
     * @param shown what is recorded unmasked
     */
    public static List<DatabaseProtocol> all(Disclosure shown) {
        return List.of(new RedisProtocol(shown), new PostgresProtocol(shown), new MySqlProtocol(shown));
    }

    /** Their titles by their names. */
    public static SortedMap<String, String> titles() {
        SortedMap<String, String> titles = new TreeMap<>();
        all(Disclosure.NONE).forEach(protocol -> titles.put(protocol.name(), protocol.title()));
        return titles;
    }
}
