package dev.probestream.collector.internal.protocol;

import static dev.probestream.collector.internal.protocol.Dialogue.bytes;
import static dev.probestream.collector.internal.protocol.Dialogue.joined;
import static dev.probestream.collector.internal.protocol.Dialogue.mysql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.internal.protocol.mysql.MySqlConversation;
import dev.probestream.collector.internal.redact.MaskedSql;
import dev.probestream.collector.probe.Disclosure;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MySqlConversationTest {
    private static final byte[] EOF = bytes("\u00fe\0\0\u0002\0");
    private static final byte[] EOF_WITH_MORE = bytes("\u00fe\0\0\n\0");
    private static final byte[] OK = bytes("\0\u0003\0\u0002\0\0\0");
    private static final byte[] ERR = bytes("\u00ffz\u0004#42S02Table 'SECRET' doesn't exist");
    private static final byte[] COLUMN = bytes("\u0003def\u0001a");

    private final Dialogue dialogue = new Dialogue();
    private final MySqlConversation conversation = new MySqlConversation(MaskedSql.ofMySql(Disclosure.NONE), dialogue);

    static byte[] query(String sql) {
        return mysql(0, bytes("\u0003" + sql));
    }

    /** A result of one column. */
    static byte[] result(int firstNumber, int rows, byte[] end) {
        byte[] all = joined(
                mysql(firstNumber, bytes("\u0001")), mysql(firstNumber + 1, COLUMN), mysql(firstNumber + 2, EOF));
        for (int i = 0; i < rows; i++) {
            all = joined(all, mysql(firstNumber + 3 + i, bytes("\u0003abc")));
        }
        return joined(all, mysql(firstNumber + 3 + rows, end));
    }

    @Test
    void resultsAndChangesAreCounted() throws Exception {
        dialogue.client(query("select \"SECRET\", `a 1` from t # SECRET"))
                .server(result(1, 2, EOF))
                .client(query("update t set a = 'it\\'s SECRET'"))
                .server(mysql(1, OK))
                .client(query("select * from missing"))
                .server(mysql(1, ERR))
                .playInPieces(conversation, new Random(1));

        assertThat(dialogue.statements)
                .containsExactly(
                        "SELECT t|select ***, `a 1` from t #|2|ROWS|",
                        "UPDATE t|update t set a = ***|3|OK|",
                        "SELECT missing|select * from missing|-1|ERR|1146");
    }

    @Test
    void severalResultsAreOneStatement() throws Exception {
        dialogue.client(query("select 1; select 2"))
                .server(result(1, 1, EOF_WITH_MORE), result(5, 2, EOF))
                .play(conversation);

        assertThat(dialogue.statements).containsExactly("SELECT|select ***; select ***|3|ROWS|");
    }

    @Test
    void theNumberOfAPreparedStatementLeadsToItsText() throws Exception {
        dialogue.client(mysql(0, bytes("\u0016select a from t where b = ?")))
                .server(
                        mysql(1, bytes("\0\u0007\0\0\0\u0001\0\u0001\0\0\0\0")),
                        mysql(2, COLUMN),
                        mysql(3, EOF),
                        mysql(4, COLUMN),
                        mysql(5, EOF))
                .client(mysql(0, bytes("\u0017\u0007\0\0\0\0\u0001\0\0\0SECRET")))
                .server(result(1, 1, EOF))
                .client(mysql(0, bytes("\u0019\u0007\0\0\0")), mysql(0, bytes("\u0017\u0007\0\0\0\0\u0001\0\0\0")))
                .server(result(1, 0, bytes("\u00fe\0\0\u0002\0\0\0")))
                .play(conversation);

        assertThat(dialogue.statements)
                .containsExactly("SELECT t|select a from t where b = ?|1|ROWS|", "EXECUTE||0|ROWS|");
    }

    @Test
    void ofALongResultTheEndIsFoundButItsRowsAreNotKnown() throws Exception {
        dialogue.client(query("select a from t"))
                .server(result(1, 100, EOF))
                .client(query("select b from t"))
                .server(result(1, 1, EOF))
                .playCut(conversation, 100);

        assertThat(dialogue.statements)
                .containsExactly("SELECT t|select a from t|-1|ROWS|", "SELECT t|select b from t|1|ROWS|");
    }

    @Test
    void aCompressedConnectionIsRefused() {
        byte[] login = mysql(1, joined(bytes("\u00ad\u00a6\0\0"), new byte[40]));

        assertThatThrownBy(() -> dialogue.client(login).play(conversation)).isInstanceOf(ProtocolException.class);
    }
}
