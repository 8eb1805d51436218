package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.redis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.redis.RedisConversation;
import dev.probestream.collector.internal.protocol.redis.RedisText;
import dev.probestream.collector.probe.Disclosure;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RedisConversationTest {
    private final Dialogue dialogue = new Dialogue();
    private final RedisConversation conversation = new RedisConversation(new RedisText(Disclosure.NONE), dialogue);

    @Test
    void repliesOfAPipelineComeInTheOrderOfTheCommands() throws Exception {
        dialogue.client(
                        redis("SET", "user:42", "SECRET"),
                        redis("get", "user:42"),
                        redis("LPOP", "q"),
                        redis("INCR", "n"))
                .server(bytes("+OK\r\n$6\r\nSECRET\r\n-WRONGTYPE SECRET\r\n:7\r\n"))
                .client(redis("MULTI"), redis("GET", "a"), redis("EXEC"))
                .server(bytes("+OK\r\n+QUEUED\r\n*1\r\n*2\r\n$1\r\nx\r\n$-1\r\n"))
                .client(bytes("PING SECRET\r\n"))
                .server(bytes("$6\r\nSECRET\r\n"))
                .playInPieces(conversation, new Random(1));

        assertThat(dialogue.statements)
                .containsExactly(
                        "SET|SET user:*** ***|-1|status|",
                        "GET|GET user:***|-1|string|",
                        "LPOP|LPOP q|-1|error|WRONGTYPE",
                        "INCR|INCR n|-1|integer|",
                        "MULTI|MULTI|-1|status|",
                        "GET|GET a|-1|status|",
                        "EXEC|EXEC|-1|array|",
                        "PING|PING ***|-1|string|");
    }

    @Test
    void messagesOfSubscriptionsAnswerNothing() throws Exception {
        dialogue.client(redis("SUBSCRIBE", "a", "b"))
                .server(bytes("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n"))
                .server(bytes("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$6\r\nSECRET\r\n"))
                .client(redis("UNSUBSCRIBE", "a"))
                .server(bytes("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$6\r\nSECRET\r\n"))
                .server(bytes("*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n"))
                .play(conversation);

        assertThat(dialogue.statements)
                .containsExactly("SUBSCRIBE|SUBSCRIBE a ***|-1|array|", "UNSUBSCRIBE|UNSUBSCRIBE a|-1|array|");
    }

    @Test
    void pushesAndAttributesOfResp3AnswerNothing() throws Exception {
        dialogue.client(redis("HELLO", "3", "AUTH", "default", "SECRET"), redis("HGETALL", "h"))
                .server(bytes("%1\r\n$5\r\nproto\r\n:3\r\n>2\r\n+invalidate\r\n*1\r\n$1\r\nh\r\n"))
                .server(bytes("|1\r\n+ttl\r\n:9\r\n%1\r\n$1\r\na\r\n,1.5\r\n"))
                .play(conversation);

        assertThat(dialogue.statements).containsExactly("HELLO|HELLO ***|-1|map|", "HGETALL|HGETALL h|-1|map|");
    }

    @Test
    void ofALongTextTheLengthIsEnough() throws Exception {
        dialogue.client(redis("GET", "a"), redis("GET", "b"))
                .server(bytes("$1000\r\n" + "x".repeat(1000) + "\r\n"))
                .server(bytes("$1\r\ny\r\n"))
                .playCut(conversation, 100);

        assertThat(dialogue.statements).hasSize(2);
    }

    @Test
    void aReplyWithoutACommandPutsTheConnectionOutOfStep() throws Exception {
        dialogue.client(redis("GET", "a"))
                .server(bytes("$1\r\ny\r\n$1\r\ny\r\n"))
                .client(redis("GET", "b"))
                .server(bytes("$1\r\ny\r\n"))
                .play(conversation);

        assertThat(dialogue.statements).hasSize(1);
        assertThat(dialogue.undecoded).isEqualTo(1);
    }
}
