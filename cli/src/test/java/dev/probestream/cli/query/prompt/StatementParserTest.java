package dev.probestream.cli.query.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jline.reader.EOFError;
import org.jline.reader.Parser.ParseContext;
import org.junit.jupiter.api.Test;

/** When Enter ends what is typed. */
class StatementParserTest {
    private final StatementParser parser = new StatementParser();

    @Test
    void aStatementEndsWithASemicolon() {
        assertThat(StatementParser.isWhole("SELECT 1;")).isTrue();
        assertThat(StatementParser.isWhole("SELECT 1; SELECT 2")).isFalse();
        assertThat(StatementParser.isWhole("SELECT ';")).isFalse();
        assertThatThrownBy(() -> parser.parse("SELECT 'a", 9, ParseContext.ACCEPT_LINE))
                .isInstanceOf(EOFError.class);
    }

    @Test
    void aCommandAndNothingAtAllEndAtOnce() {
        assertThat(StatementParser.isWhole(".tables")).isTrue();
        assertThat(StatementParser.isWhole("")).isTrue();
        assertThat(StatementParser.isWhole("-- nothing")).isTrue();
    }

    @Test
    void quotesDoNotHinderCompletion() {
        assertThat(parser.parse("SELECT 'it''s' FROM spa", 23, ParseContext.COMPLETE)
                        .word())
                .isEqualTo("spa");
    }
}
