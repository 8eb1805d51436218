package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.Disclosure;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatementTextTest {
    private static final int FUZZ_ROUNDS = 20_000;

    private final StatementText texts = new StatementText(Disclosure.NONE);

    private String mysql(String sql) {
        byte[] bytes = sql.getBytes(UTF_8);
        return texts.sql(bytes, 0, bytes.length, true, false);
    }

    private static List<byte[]> words(String command) {
        return Arrays.stream(command.split(" "))
                .map(word -> word.getBytes(UTF_8))
                .toList();
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

    @ParameterizedTest
    @CsvSource({
        "get session:8f3a:name, GET session:***:name",
        "set SECRET1 SECRET2, SET *** ***",
        "auth SECRET1, AUTH ***",
        "config set requirepass SECRET1, CONFIG SET ***",
        "client setname SECRET1, CLIENT SETNAME ***",
        "eval SECRET1 0, EVAL ***",
        "ping, PING",
        "json.get doc:7, JSON.GET doc:***",
        "get ann@example.org, GET ***.org",
    })
    void ofARedisCommandNameAndKeyAreKept(String command, String kept) {
        List<byte[]> words = words(command);

        assertThat(texts.redis(words, words.size())).isEqualTo(kept);
    }

    @Test
    void whatIsShownHasNoPasswordAllTheSame() {
        StatementText shown = new StatementText(new Disclosure(true, false, false));

        assertThat(shown.redis(words("set a:1 b"), 3)).isEqualTo("set a:1 b");
        assertThat(shown.redis(words("auth SECRET"), 2)).isEqualTo("auth ***");
    }

    @Test
    void aLongStatementIsCut() {
        byte[] bytes = ("select " + "a".repeat(1000)).getBytes(UTF_8);

        assertThat(texts.sql(bytes, 0, bytes.length, false, false))
                .hasSize(StatementText.MAX_BYTES + 1)
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
