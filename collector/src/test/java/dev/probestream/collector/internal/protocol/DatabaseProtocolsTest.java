package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.postgres;
import static dev.probestream.collector.internal.protocol.Dialogue.redis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.connection.DatabaseProtocols;
import dev.probestream.collector.probe.Disclosure;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which protocol a connection has by its first buffer that was seen. */
class DatabaseProtocolsTest {
    private final List<DatabaseProtocol> protocols = DatabaseProtocols.all(Disclosure.NONE);

    private String recognized(byte[] bytes) {
        return protocols.stream()
                .filter(protocol -> protocol.recognize(bytes, bytes.length, bytes.length, new Dialogue())
                        .isPresent())
                .map(DatabaseProtocol::name)
                .findFirst()
                .orElse("none");
    }

    @Test
    void aFirstBufferShowsTheProtocol() {
        assertThat(recognized(bytes("\0\0\0\u0010\0\u0003\0\0user\0x\0\0"))).isEqualTo("postgresql");
        assertThat(recognized(postgres('Q', "select 1\0"))).isEqualTo("postgresql");
        assertThat(recognized(MySqlConversationTest.query("select 1"))).isEqualTo("mysql");
        assertThat(recognized(redis("GET", "a"))).isEqualTo("redis");
        assertThat(recognized(bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))).isEqualTo("none");
        assertThat(recognized(new byte[0])).isEqualTo("none");
    }

    @Test
    void onlyABeginningOfPostgresShowsANewConnection() {
        byte[] beginning = bytes("\0\0\0\u0010\0\u0003\0\0user\0x\0\0");
        assertThat(protocols)
                .filteredOn(protocol -> protocol.isNewConnection(beginning, beginning.length, beginning.length))
                .extracting(DatabaseProtocol::name)
                .containsExactly("postgresql");
        byte[] query = postgres('Q', "select 1\0");
        assertThat(protocols).noneMatch(protocol -> protocol.isNewConnection(query, query.length, query.length));
    }

    @Test
    void titlesAreTheSpellingsOfTheDatabases() {
        assertThat(DatabaseProtocols.titles())
                .isEqualTo(Map.of("mysql", "MySQL", "postgresql", "PostgreSQL", "redis", "Redis"));
    }
}
