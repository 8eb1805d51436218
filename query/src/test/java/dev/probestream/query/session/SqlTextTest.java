package dev.probestream.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Statements are taken apart where DuckDB takes them apart. */
class SqlTextTest {
    private static final List<String> TOKENS = List.of(
            "SELECT",
            "'a;b'",
            "'it''s;'",
            "\"odd;name\"",
            "-- to ; the end\n",
            "/* ; /* nested ; */ ; */",
            "$$ ; ' $$",
            "$x$ ; $$ $x$",
            "E'\\';'",
            "1",
            "$1",
            "(",
            "a$b",
            ",",
            "\n");

    @Test
    void semicolonsEndStatements() {
        assertThat(texts("SELECT 1; SELECT 2")).containsExactly("SELECT 1", "SELECT 2");
        assertThat(texts(" ;; -- nothing\n ; /* nothing */")).isEmpty();
    }

    @Test
    void semicolonsInTextsNamesAndCommentsDoNot() {
        String one = String.join(" ", TOKENS.stream().map(String::strip).toList())
                .replace("end", "end\n")
                .strip();
        assertThat(texts(one + ";" + one)).containsExactly(one, one);
    }

    @Test
    void aStatementSaysItsLineAndWhetherItIsWhole() {
        assertThat(SqlText.split("-- head\nSELECT 1;\n\nSELECT 2"))
                .containsExactly(
                        new SqlText.Piece("-- head\nSELECT 1", 1, true), new SqlText.Piece("SELECT 2", 4, false));
    }

    @Test
    void whatIsNotClosedGoesOnToTheEnd() {
        for (String open : List.of("'a;", "\"a;", "/* a;", "$$ a;", "$x$ a; $$")) {
            assertThat(SqlText.split("SELECT " + open)).hasSize(1).allMatch(piece -> !piece.isEnded());
        }
    }

    @Test
    void joinedStatementsComeApartAgain() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            List<String> statements = new ArrayList<>();
            for (int n = random.nextInt(4); n >= 0; n--) {
                StringBuilder statement = new StringBuilder("x");
                for (int t = random.nextInt(6); t > 0; t--) {
                    statement.append(' ').append(TOKENS.get(random.nextInt(TOKENS.size())));
                }
                statements.add(statement.toString().strip() + (statement.indexOf("--") < 0 ? "" : "\n"));
            }
            assertThat(texts(String.join(";", statements)))
                    .isEqualTo(statements.stream().map(String::strip).toList());
        }
    }

    private static List<String> texts(String sql) {
        return SqlText.split(sql).stream().map(SqlText.Piece::text).toList();
    }
}
