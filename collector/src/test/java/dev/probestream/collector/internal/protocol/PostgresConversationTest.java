package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.joined;
import static dev.probestream.collector.internal.protocol.Dialogue.postgres;
import static dev.probestream.collector.internal.protocol.Dialogue.ready;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.protocol.postgres.PostgresConversation;
import dev.probestream.collector.internal.redact.MaskedSql;
import dev.probestream.collector.probe.Disclosure;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PostgresConversationTest {
    private static final String NUL = "\0";

    private final Dialogue dialogue = new Dialogue();

    private PostgresConversation beginning() {
        dialogue.client(bytes("\0\0\0\u0008\u0004\u00d2\u0016/")).server(bytes("N"));
        dialogue.client(bytes("\0\0\0\u0010\0\u0003\0\0user\0x\0\0")).server(postgres('R', "\0\0\0\0"), ready());
        return new PostgresConversation(true, MaskedSql.standard(Disclosure.NONE), dialogue);
    }

    private static byte[] rows(int count) {
        byte[][] all = new byte[count][];
        java.util.Arrays.fill(all, postgres('D', "\0\u0001\0\0\0\u0003abc"));
        return joined(all);
    }

    static byte[] execution(String name, String sql) {
        return joined(
                sql.isEmpty() ? new byte[0] : postgres('P', name + NUL + sql + NUL + "\0\0"),
                postgres('B', NUL + name + NUL + "\0\0\0\0\0\0"),
                postgres('D', "P" + NUL),
                postgres('E', NUL + "\0\0\0\0"));
    }

    static byte[] sync() {
        return postgres('S', "");
    }

    @Test
    void aSimpleQueryEndsWhenTheServerIsReady() throws Exception {
        PostgresConversation conversation = beginning();
        dialogue.client(postgres('Q', "select 'SECRET' from a.b; update c set d = 1" + NUL))
                .server(postgres('T', "\0\0"), rows(2), postgres('C', "SELECT 2" + NUL))
                .server(postgres('C', "UPDATE 3" + NUL), ready())
                .play(conversation);

        assertThat(dialogue.statements)
                .containsExactly("SELECT a.b|select *** from a.b; update c set d = ***|5|UPDATE 3|");
        assertThat(conversation.takeOpen()).isEmpty();
    }

    @Test
    void namesLeadToTheTextOfAPreparedStatement() throws Exception {
        PostgresConversation conversation = beginning();
        byte[] answer = joined(postgres('2', ""), rows(1), postgres('C', "SELECT 1" + NUL), ready());
        dialogue.client(execution("x", "select * from t where i = $1"), sync())
                .server(postgres('1', ""), answer)
                .client(execution("x", ""), sync())
                .server(answer)
                .playInPieces(conversation, new Random(1));

        assertThat(dialogue.statements)
                .containsExactly(
                        "SELECT t|select * from t where i = $1|1|SELECT 1|",
                        "SELECT t|select * from t where i = $1|1|SELECT 1|");
    }

    @Test
    void behindAnErrorStatementsAreSkippedUpToTheSync() throws Exception {
        PostgresConversation conversation = beginning();
        byte[] done = joined(postgres('1', ""), postgres('2', ""), postgres('C', "INSERT 0 1" + NUL));
        dialogue.client(
                        execution("", "insert into a values (1)"),
                        execution("", "insert into b values (1)"),
                        execution("", "insert into c values (1)"),
                        sync(),
                        execution("", "insert into d values (1)"),
                        sync())
                .server(done, postgres('E', "SERROR" + NUL + "C23505" + NUL + "MSECRET" + NUL + NUL), ready())
                .server(done, ready())
                .play(conversation);

        assertThat(dialogue.statements)
                .containsExactly(
                        "INSERT a|insert into a values (***)|1|INSERT 0 1|",
                        "INSERT b|insert into b values (***)|-1||23505",
                        "INSERT d|insert into d values (***)|1|INSERT 0 1|");
        assertThat(conversation.takeOpen()).isEmpty();
    }

    @Test
    void aPreparationIsAStatementIfItFails() throws Exception {
        PostgresConversation conversation = beginning();
        dialogue.client(postgres('P', "n" + NUL + "selct 1" + NUL + "\0\0"), sync())
                .server(postgres('E', "C42601" + NUL + NUL), ready())
                .client(postgres('P', "n" + NUL + "select 1" + NUL + "\0\0"), sync())
                .server(postgres('1', ""), ready())
                .play(conversation);

        assertThat(dialogue.statements).containsExactly("SELCT|selct ***|-1||42601");
    }

    @Test
    void aCopyEndsWithItsTag() throws Exception {
        PostgresConversation conversation = beginning();
        dialogue.client(postgres('Q', "copy t from stdin" + NUL))
                .server(postgres('G', "\0\0\0"))
                .client(postgres('d', "SECRET\n"), postgres('c', ""))
                .server(postgres('C', "COPY 1" + NUL), ready())
                .play(conversation);

        assertThat(dialogue.statements).containsExactly("COPY t|copy t from stdin|1|COPY 1|");
    }

    @Test
    void ofALongAnswerTheEndIsEnough() throws Exception {
        PostgresConversation conversation = beginning();
        dialogue.client(postgres('Q', "select * from t" + NUL))
                .server(postgres('T', "\0\0"), rows(400))
                .server(rows(300), postgres('C', "SELECT 700" + NUL), ready())
                .client(postgres('Q', "select 1" + NUL))
                .server(postgres('C', "SELECT 1" + NUL), ready())
                .playCut(conversation, 200);

        assertThat(dialogue.statements)
                .containsExactly("SELECT t|select * from t|700|SELECT 700|", "SELECT|select ***|1|SELECT 1|");
        assertThat(dialogue.undecoded).isZero();
    }

    private PostgresConversation open() {
        return new PostgresConversation(false, MaskedSql.standard(Disclosure.NONE), dialogue);
    }

    private static byte[] query(String sql) {
        return postgres('Q', sql + NUL);
    }

    private static byte[] answer(String tag) {
        return joined(postgres('C', tag + NUL), ready());
    }

    @Test
    void anOpenConnectionIsTakenUpBehindQueriesInTurn() throws Exception {
        PostgresConversation conversation = open();
        for (int i = 0; i < 24; i++) {
            dialogue.client(query("select 1")).server(answer("SELECT 1"));
        }
        dialogue.play(conversation);
        assertThat(dialogue.statements).as("the answers are held").isEmpty();

        dialogue.turns.clear();
        dialogue.client(query("select 1"))
                .server(answer("SELECT 1"))
                .client(query("select 1"))
                .play(conversation);
        assertThat(dialogue.statements).hasSize(24).containsOnly("SELECT|select ***|1|SELECT 1|");
        assertThat(dialogue.unmatched).as("the first one").hasSize(1);
        assertThat(dialogue.isUnderstood).isTrue();
        assertThat(conversation.takeOpen()).hasSize(1);
    }

    @Test
    void aFewQueriesInTurnAreTrustedAtTheEnd() throws Exception {
        PostgresConversation conversation = open();
        for (int i = 0; i < 5; i++) {
            dialogue.client(query("select 1")).server(answer("SELECT 1"));
        }
        dialogue.client(query("select 1")).play(conversation);

        assertThat(conversation.takeOpen()).hasSize(1);
        assertThat(dialogue.statements).hasSize(4);
        assertThat(dialogue.unmatched).hasSize(1);
    }

    @Test
    void oneQueryIsNotTrustedAtTheEnd() throws Exception {
        PostgresConversation conversation = open();
        dialogue.client(query("select 1")).server(answer("SELECT 1"));
        dialogue.client(query("select 1")).server(answer("SELECT 1"));
        dialogue.client(query("select 1")).play(conversation);

        assertThat(conversation.takeOpen()).isEmpty();
        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).hasSize(3);
    }

    @Test
    void whatIsHeldForLongIsDecidedByWhatIsKnown() throws Exception {
        PostgresConversation conversation = open();
        for (int i = 0; i < 7; i++) {
            dialogue.client(query("select 1")).server(answer("SELECT 1")).afterSilence(3_000_000_000L);
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).isNotEmpty();
        assertThat(dialogue.unmatched).hasSize(1);
    }

    /** Each answer here is that of the query before. */
    @Test
    void answersToQueriesThatAreSentAheadAreUnmatched() throws Exception {
        PostgresConversation conversation = open();
        dialogue.client(query("select 0")).client(query("select 1"));
        for (int i = 0; i < 40; i++) {
            dialogue.server(answer("SELECT 1")).client(query("select 1"));
        }
        dialogue.play(conversation);

        assertThat(conversation.takeOpen()).isEmpty();
        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).hasSize(42);
    }

    @Test
    void whereAClientSendsAheadTheConnectionMustHaveBeenSilent() throws Exception {
        PostgresConversation conversation = open();
        dialogue.client(query("select 0")).client(query("select 1")).server(answer("SELECT 1"), answer("SELECT 1"));
        for (int i = 0; i < 20; i++) {
            dialogue.client(query("select 1")).client(query("select 2")).server(answer("SELECT 1"), answer("SELECT 2"));
        }
        for (int i = 0; i < 4; i++) {
            dialogue.client(query("select 1")).afterSilence(10_000_000).server(answer("SELECT 1"));
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).hasSize(2);
        assertThat(dialogue.unmatched).hasSize(44);
    }

    @Test
    void aTagThatNoSuchStatementHasEndsTheTrial() throws Exception {
        PostgresConversation conversation = open();
        for (int i = 0; i < 5; i++) {
            dialogue.client(query("select 1")).server(answer("SELECT 1"));
            dialogue.client(query("select 1")).server(answer("UPDATE 1"));
        }
        dialogue.play(conversation);

        assertThat(dialogue.statements).isEmpty();
        assertThat(dialogue.unmatched).hasSize(10);
    }

    @Test
    void whatWasLostIsCountedAndNothingIsGuessed() throws Exception {
        PostgresConversation conversation = beginning();
        byte[] query = postgres('Q', "select 1" + NUL);
        dialogue.client(query).play(conversation);
        conversation.lost();
        dialogue.turns.clear();
        dialogue.server(answer("SELECT 1"))
                .client(query)
                .server(answer("SELECT 1"))
                .play(conversation);

        assertThat(conversation.takeOpen()).isEmpty();
        assertThat(dialogue.unmatched).hasSize(2);
        assertThat(dialogue.statements).isEmpty();
    }
}
