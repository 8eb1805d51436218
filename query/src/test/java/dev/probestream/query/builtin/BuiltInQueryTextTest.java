package dev.probestream.query.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.query.QueryException;
import dev.probestream.query.builtin.BuiltInQuery.Column;
import dev.probestream.query.builtin.BuiltInQuery.Parameter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BuiltInQueryTextTest {
    private static final String TEXT = """
            -- What is where.
            --
            -- Read it from above,
            -- line by line.
            --
            -- Columns:
            --   path  where it is,
            --         from the root on
            --   count how many
            -- Parameters:
            --   limit=20  how many rows
            --   like=%    what it must match
            SELECT 1;
            """;

    @Test
    void commentsSayWhatTheViewShows() {
        BuiltInQuery view = BuiltInQueryText.parse("where", TEXT);
        assertThat(view)
                .isEqualTo(new BuiltInQuery(
                        "where",
                        "What is where.",
                        "Read it from above,\nline by line.",
                        List.of(new Column("path", "where it is, from the root on"), new Column("count", "how many")),
                        List.of(
                                new Parameter("limit", "20", "how many rows"),
                                new Parameter("like", "%", "what it must match")),
                        "SELECT 1"));
    }

    @Test
    void anEntryThatSaysNothingIsRefused() {
        assertThatThrownBy(() -> BuiltInQueryText.parse("where", "-- T\n-- Columns:\n--   path\nSELECT 1"))
                .hasMessage("view where: nothing is said of 'path'");
    }

    @Test
    void parametersBecomeVariables() throws QueryException {
        BuiltInQuery view = BuiltInQueryText.parse("where", TEXT);
        assertThat(view.statements(Map.of("like", "it's")))
                .containsExactly("SET VARIABLE \"limit\" = 20", "SET VARIABLE \"like\" = 'it''s'");
    }

    @Test
    void whatIsNoParameterOrNoNumberIsSaid() {
        BuiltInQuery view = BuiltInQueryText.parse("where", TEXT);
        assertThatThrownBy(() -> view.statements(Map.of("limt", "3")))
                .hasMessage("view where has no parameter 'limt'; it has limit, like");
        assertThatThrownBy(() -> view.statements(Map.of("limit", "many")))
                .hasMessage("view where: limit (how many rows) is a number, not 'many'; its default is 20");
    }
}
