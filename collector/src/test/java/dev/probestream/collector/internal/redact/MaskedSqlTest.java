package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaskedSqlTest {
    private static final int FUZZ_ROUNDS = 20_000;

    private final MaskedSql texts = MaskedSql.ofMySql(Disclosure.NONE);

    private String mysql(String sql) {
        byte[] bytes = sql.getBytes(UTF_8);
        return texts.of(bytes, 0, bytes.length, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "select \"SECRET\", 'SECRET', `a 1` # SECRET | select ***, ***, `a 1` #",
                "a = \"it\"\"s SECRET\" and b | a = *** and b",
                "a = 'it\\'s SECRET' and b | a = ***",
                "a = e'x\\', 'SECRET' | a = e***",
                "a /*! SECRET */ b | a /**/ b",
                "a = `SECRET | a = ***",
            })
    void literalsOfMySqlAreMasked(String sql, String kept) {
        assertThat(mysql(sql)).isEqualTo(kept);
    }

    @Test
    void aLongStatementIsCut() {
        byte[] bytes = ("select " + "a".repeat(1000)).getBytes(UTF_8);

        assertThat(texts.of(bytes, 0, bytes.length, false))
                .hasSize(MaskedSql.MAX_BYTES + 1)
                .endsWith("…");
    }

    /** Literals are in capitals and digits, which nothing else is. */
    @Test
    void noLiteralOfMySqlComesOut() {
        Random random = new Random(20_261_123);
        String[] pieces = {
            "'SECRET'",
            "\"SECRET\"",
            "'SE''CRET'",
            "'SE\\'CRET'",
            "\"SE'CRET\"",
            "'SE\"CRET\\\\'",
            "42",
            " a ",
            "`b`",
            "--SECRET\n",
            "#SECRET\n",
            "/*SECRET*/",
            ",",
            "(",
            " = ",
            "0xFF"
        };
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            StringBuilder sql = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                sql.append(pieces[random.nextInt(pieces.length)]).append(' ');
            }
            int end = 1 + random.nextInt(sql.length());
            assertThat(mysql(sql.substring(0, end))).doesNotContainPattern("[A-Z0-9]");
        }
    }
}
