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
    private static final long SILENCE_NS = 10_000_000;
    private static final byte[] TEXT = bytes("$1\r\ny\r\n");

    private static final byte[] LONG = bytes("*100\r\n" + "$3\r\nkey\r\n".repeat(60));
    private static final byte[] LONG_REST = bytes("$3\r\nkey\r\n".repeat(40));

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
        assertThat(dialogue.unmatched).containsExactly("GET b");
    }

    @Test
    void aConnectionThatWasOpenIsTakenUpWhenItWasSilentThreeTimes() throws Exception {
        dialogue.wasOpen()
                .client(redis("GET", "a"))
                .server(TEXT)
                .client(redis("GET", "b"))
                .afterSilence(SILENCE_NS)
                .server(TEXT)
                .client(redis("GET", "c"))
                .afterSilence(SILENCE_NS)
                .server(TEXT)
                .client(redis("INCR", "d"))
                .afterSilence(SILENCE_NS)
                .server(bytes(":1\r\n"))
                .play(conversation);

        assertThat(dialogue.statements).containsExactly("INCR|INCR d|-1|integer|");
        assertThat(dialogue.unmatched).containsExactly("GET a", "GET b", "GET c");
        assertThat(dialogue.isUnderstood).isTrue();
    }

    /** The first silence is a command that takes long. */
    @Test
    void aReplyThatIsLeftOverEndsTheTrial() throws Exception {
        dialogue.wasOpen().client(redis("GET", "a")).server(TEXT).client(redis("EVAL", "slow", "0"));
        for (int i = 0; i < 4; i++) {
            dialogue.client(redis("GET", "b")).afterSilence(SILENCE_NS).server(TEXT, TEXT);
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).hasSize(6);
    }

    @Test
    void aReplyOfATypeThatTheCommandNeverGetsEndsTheTrial() throws Exception {
        dialogue.wasOpen().client(redis("GET", "a")).server(TEXT).client(redis("KEYS", "*"));
        dialogue.client(redis("GET", "b")).afterSilence(SILENCE_NS).server(bytes("*1\r\n$1\r\nk\r\n"), TEXT);
        for (int i = 0; i < 4; i++) {
            dialogue.client(redis("GET", "c")).afterSilence(SILENCE_NS).server(TEXT);
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).containsExactly("GET|GET c|-1|string|", "GET|GET c|-1|string|");
    }

    @Test
    void aSilenceThatIsNoLongerThanARepliesTimeTellsNothing() throws Exception {
        dialogue.wasOpen().client(redis("GET", "a")).server(TEXT);
        for (int i = 0; i < 8; i++) {
            dialogue.client(redis("GET", "b"))
                    .afterSilence(SILENCE_NS)
                    .server(TEXT)
                    .afterSilence(SILENCE_NS);
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).isEmpty();
    }

    /** Its end is known by what comes next. */
    @Test
    void aLongReplyOfWhichBytesAreMissingEndsBeforeTheNextCommand() throws Exception {
        dialogue.client(redis("KEYS", "*"))
                .server(LONG)
                .server(LONG_REST)
                .client(redis("KEYS", "a*"))
                .server(LONG)
                .client(redis("GET", "a"))
                .server(TEXT)
                .playCut(conversation, 100);

        assertThat(dialogue.statements)
                .containsExactly("KEYS|KEYS ***|-1|array|", "KEYS|KEYS ***|-1|array|", "GET|GET a|-1|string|");
        assertThat(dialogue.undecoded).isZero();
    }

    @Test
    void theRestOfALongReplyAnswersNoOtherCommand() throws Exception {
        dialogue.client(redis("KEYS", "*"))
                .server(LONG)
                .client(redis("GET", "a"))
                .server(LONG_REST, TEXT)
                .playCut(conversation, 100);

        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).containsExactly("KEYS ***", "GET a");
    }

    @Test
    void aReplyThatEndsAmongMissingBytesAnswersNobodyIfMoreAreAwaited() throws Exception {
        dialogue.client(redis("KEYS", "*"), redis("GET", "a"))
                .server(LONG)
                .server(LONG_REST, TEXT)
                .playCut(conversation, 100);

        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).containsExactly("KEYS ***", "GET a");
    }

    /** What is written then may be the rest of a value. */
    @Test
    void linesOfWordsThatFollowALossAreNoStatements() throws Exception {
        conversation.lost();
        dialogue.client(bytes("SECRET words\r\n"))
                .client(redis("GET", "a"))
                .client(bytes("*1\r\n$1\r\na\r\nSECRET\r\n"))
                .play(conversation);

        assertThat(dialogue.unmatched).containsExactly("GET a", "A");
        assertThat(dialogue.undecoded).isEqualTo(1);
    }

    @Test
    void aReplyThatHasOnlyBegunIsOfACommandThatWasNotSeen() throws Exception {
        dialogue.wasOpen().client(redis("GET", "a")).server(TEXT);
        dialogue.client(redis("GET", "b")).afterSilence(SILENCE_NS).server(TEXT, bytes("$1\r\n"));
        for (int i = 0; i < 3; i++) {
            dialogue.client(redis("GET", "c")).afterSilence(SILENCE_NS).server(TEXT);
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).isEmpty();
    }
}
