package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlMaskTest {
    private static final int FUZZ_ROUNDS = 30_000;

    private static String copy(String sql) {
        byte[] bytes = sql.getBytes(UTF_8);
        ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(bytes.length));
        new SqlMask(out).copy(ByteBuffer.wrap(bytes), 0, bytes.length);
        return new String(out.array(), 0, out.position(), UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "select a1, \"b 2\", $1 from t_3 where x::int4 = y | select a1, \"b 2\", $1 from t_3 where x::int4 = y",
                "select 'SECRET', 42, -1.5e-3, .5, 0xFF, 1_000 | select ***, ***, -***, ***, ***, ***",
                "a = 'it''s SECRET' and b | a = *** and b",
                "a = E'it\\'s SECRET' and b | a = E*** and b",
                "a = e'\\\\' and b = 'SECRET' | a = e*** and b = ***",
                "a = U&'SECRET' or X'1F' or B'01' | a = U&*** or X*** or B***",
                "a = 'x\\' SECRET ' | a = ***",
                "do $$ SECRET $$ x | do *** x",
                "do $f$ SECRET $$ SECRET $f$ x | do *** x",
                "a$b = 1 | a$b = ***",
                "a /* SECRET /* SECRET */ SECRET */ b | a /**/ b",
                "a -- SECRET | a --",
                "alter role x password 'SECRET | alter role x password ***",
                "do $f SECRET | do $f SECRET",
                "a \"SECRET | a ***",
                "select 'ä', ünïcode1 | select ***, ünïcode1",
            })
    void literalsAndCommentsAreMasked(String sql, String kept) {
        // A lone dollar begins no literal: PostgreSQL reports a syntax error.
        assertThat(copy(sql)).isEqualTo(kept);
    }

    @Test
    void aLineCommentEndsWithItsLine() {
        assertThat(copy("a -- SECRET\nb = 1")).isEqualTo("a --\nb = ***");
    }

    /** Literals are in capitals and digits, which nothing else is. */
    @Test
    void noLiteralComesOut() {
        Random random = new Random(20_261_122);
        String[] pieces = {
            "'SECRET'",
            "'SE''CRET'",
            "e'SE\\'CRET'",
            "$$SECRET$$",
            "$a$SE$$CRET$a$",
            "42",
            "4.2e5",
            "/*SECRET*/",
            "--SECRET\n",
            "'SECRET\\'",
            "x'7F'"
        };
        String[] between = {" ", ",", "(", ")", " a ", "= ", "\n", "+", " \"b\" ", " c_d "};
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            StringBuilder sql = new StringBuilder("select ");
            for (int i = 1 + random.nextInt(6); i > 0; i--) {
                sql.append(pieces[random.nextInt(pieces.length)]).append(between[random.nextInt(between.length)]);
            }
            String cut = sql.substring(0, random.nextInt(4) == 0 ? random.nextInt(sql.length()) : sql.length());
            assertThat(copy(cut)).as(cut).doesNotContainPattern("[A-Z0-9]");
        }
    }

    @Test
    void anyBytesAreCopiedInLinearTimeAndSpace() {
        Random random = new Random(2);
        String alphabet = "aE'\"$-/*\\ 1.\n,x";
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            StringBuilder sql = new StringBuilder();
            for (int i = random.nextInt(50); i > 0; i--) {
                sql.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            copy(sql.toString());
        }
        for (String part : new String[] {"'", "$", "$a", "$a$", "/*", "\"", "1 ", "-", "''", "\\'"}) {
            copy(part.repeat(1_000_000 / part.length()));
        }
    }
}
