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
        BuiltInQuery query = BuiltInQueryText.parse("where", TEXT);
        assertThat(query)
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
    void anEntryWithoutADescriptionIsRefused() {
        assertThatThrownBy(() -> BuiltInQueryText.parse("where", "-- T\n-- Columns:\n--   path\nSELECT 1"))
                .hasMessage("built-in query where: no description in 'path'");
    }

    @Test
    void parametersBecomeVariables() throws QueryException {
        BuiltInQuery query = BuiltInQueryText.parse("where", TEXT);
        assertThat(query.variables(Map.of("like", "it's")))
                .containsExactly(Map.entry("limit", 20), Map.entry("like", "it's"));
    }

    @Test
    void unknownParametersAndInvalidNumbersAreRefused() {
        BuiltInQuery query = BuiltInQueryText.parse("where", TEXT);
        assertThatThrownBy(() -> query.variables(Map.of("limt", "3")))
                .hasMessage("built-in query where has no parameter 'limt'; it has limit, like");
        assertThatThrownBy(() -> query.variables(Map.of("limit", "many")))
                .hasMessage(
                        "built-in query where: limit (how many rows) must be a number, not 'many'; its default is 20");
    }
}
