package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.postgres;
import static dev.probestream.collector.internal.protocol.Dialogue.ready;
import static dev.probestream.collector.internal.protocol.Dialogue.redis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.mysql.MySqlConversation;
import dev.probestream.collector.internal.protocol.postgres.PostgresConversation;
import dev.probestream.collector.internal.protocol.redis.RedisConversation;
import dev.probestream.collector.internal.protocol.redis.RedisText;
import dev.probestream.collector.internal.redact.MaskedSql;
import dev.probestream.collector.probe.Disclosure;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged dialogues: only a {@link ProtocolException} may come of them, and no more statements than commands. */
class ProtocolFuzzTest {
    private static final int ROUNDS = 4000;

    private static Dialogue good(String protocol) {
        Dialogue dialogue = new Dialogue();
        if (protocol.equals("postgresql")) {
            dialogue.client(bytes("\0\0\0\u0010\0\u0003\0\0user\0x\0\0")).server(ready());
        }
        for (int i = 0; i < 3; i++) {
            switch (protocol) {
                case "postgresql" ->
                    dialogue.client(
                                    postgres('Q', "select 1 from a\0"),
                                    PostgresConversationTest.execution("n" + i, "select 2"),
                                    PostgresConversationTest.sync())
                            .server(postgres('T', "\0\0"), postgres('D', "\0\0"), postgres('C', "SELECT 1\0"), ready())
                            .server(postgres('1', ""), postgres('2', ""), postgres('C', "SELECT 1\0"), ready());
                case "mysql" ->
                    dialogue.client(MySqlConversationTest.query("select 1 from a"))
                            .server(MySqlConversationTest.result(1, 3, bytes("\u00fe\0\0\u0002\0")))
                            .client(MySqlConversationTest.query("update a set b = 1"))
                            .server(Dialogue.mysql(1, bytes("\0\u0003\0\u0002\0\0\0")));
                default ->
                    dialogue.client(redis("SET", "a", "b"), redis("GET", "a"), redis("SUBSCRIBE", "c"))
                            .server(bytes("+OK\r\n$1\r\nb\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"));
            }
        }
        return dialogue;
    }

    private static Conversation conversation(String protocol, StatementSink sink) {
        return switch (protocol) {
            case "postgresql" -> new PostgresConversation(true, MaskedSql.standard(Disclosure.NONE), sink);
            case "mysql" -> new MySqlConversation(MaskedSql.ofMySql(Disclosure.NONE), sink);
            default -> new RedisConversation(new RedisText(Disclosure.NONE), sink);
        };
    }

    private static void play(Dialogue dialogue, String protocol, Random random) {
        Conversation conversation = conversation(protocol, dialogue);
        try {
            if (random.nextBoolean()) {
                dialogue.playInPieces(conversation, random);
            } else {
                dialogue.playCut(conversation, 1 + random.nextInt(60));
            }
        } catch (ProtocolException e) {
            conversation.lost();
        }
        conversation.takeOpen();
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "redis"})
    void damagedBytesAreRefusedOrDecoded(String protocol) {
        Random random = new Random(20_261_123);
        for (int round = 0; round < ROUNDS; round++) {
            Dialogue dialogue = good(protocol);
            for (int i = 0; i <= random.nextInt(4); i++) {
                byte[] bytes = dialogue.turns.get(random.nextInt(dialogue.turns.size())).bytes;
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            play(dialogue, protocol, random);
            assertThat(dialogue.undecoded).isNotNegative();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "redis"})
    void anyBytesAreRefusedOrDecoded(String protocol) {
        Random random = new Random(20_261_124);
        for (int round = 0; round < ROUNDS; round++) {
            Dialogue dialogue = new Dialogue();
            for (int turn = 0; turn < 4; turn++) {
                byte[] bytes = new byte[1 + random.nextInt(100)];
                random.nextBytes(bytes);
                dialogue.turns.add(new Dialogue.Turn(random.nextBoolean(), bytes));
            }
            play(dialogue, protocol, random);
            assertThat(dialogue.statements).hasSizeLessThan(100);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "redis"})
    void howTheBytesAreCutIntoPiecesMakesNoDifference(String protocol) throws Exception {
        Dialogue whole = good(protocol);
        whole.play(conversation(protocol, whole));
        for (int seed = 0; seed < 200; seed++) {
            Dialogue inPieces = good(protocol);
            inPieces.playInPieces(conversation(protocol, inPieces), new Random(seed));
            assertThat(List.copyOf(inPieces.statements)).isEqualTo(whole.statements);
        }
    }
}
