package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.postgres;
import static dev.probestream.collector.internal.protocol.Dialogue.redis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.connection.DatabaseProtocols;
import dev.probestream.collector.probe.Disclosure;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which protocol a connection has by its first buffer that was seen. */
class DatabaseProtocolsTest {
    private final DatabaseProtocols protocols = new DatabaseProtocols(Disclosure.NONE);

    private String recognized(byte[] bytes) {
        return recognized(bytes, bytes.length, bytes.length);
    }

    private String recognized(byte[] bytes, int known, int sizeBytes) {
        return protocols
                .recognize(bytes, known, sizeBytes, new Dialogue())
                .map(found -> found.protocol().name())
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
        assertThat(protocols.isNewConnection(beginning, beginning.length, beginning.length))
                .isTrue();
        byte[] query = postgres('Q', "select 1\0");
        assertThat(protocols.isNewConnection(query, query.length, query.length)).isFalse();
    }

    /** As of a large write over TLS, which goes out in pieces. */
    @Test
    void theLastMessageOfAPostgresBufferMayBeCut() {
        byte[] whole = postgres('P', "\0select 1\0\0\0");
        byte[] cut = Arrays.copyOf(postgres('B', "x".repeat(100)), 40);
        assertThat(recognized(Dialogue.joined(whole, cut))).isEqualTo("postgresql");
        assertThat(recognized(cut)).as("a message of which the end is missing").isEqualTo("none");
    }

    @Test
    void ofALongBufferTheBeginningIsEnough() {
        byte[] messages = Dialogue.joined(postgres('P', "\0select 1\0\0\0"), postgres('B', "x".repeat(1000)));
        assertThat(recognized(messages, 100, messages.length)).isEqualTo("postgresql");
    }

    /** Its length begins like an array of Redis. */
    @Test
    void aPacketOfMySqlThatBeginsLikeRedisIsOne() {
        byte[] packet = MySqlConversationTest.query("select " + "a".repeat(('1' << 8 | '*') - 8));
        assertThat(packet).startsWith('*', '1');
        assertThat(recognized(packet)).isEqualTo("mysql");
    }

    /** Its length, the first byte, is the letter Q. */
    @Test
    void aPacketOfMySqlThatBeginsLikePostgresIsOne() {
        byte[] packet = MySqlConversationTest.query("select " + "a".repeat('Q' - 8));
        assertThat(packet[0]).isEqualTo((byte) 'Q');
        assertThat(recognized(packet)).isEqualTo("mysql");
        byte[] postgres = postgres('Q', "x".repeat('Q' - 1));
        assertThat(recognized(postgres)).as("of as many bytes as that packet").isEqualTo("postgresql");
    }

    @Test
    void titlesAreTheSpellingsOfTheDatabases() {
        assertThat(DatabaseProtocols.titles())
                .isEqualTo(Map.of("mysql", "MySQL", "postgresql", "PostgreSQL", "redis", "Redis"));
    }
}
