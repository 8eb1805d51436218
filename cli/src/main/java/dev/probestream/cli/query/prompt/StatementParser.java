package dev.probestream.cli.query.prompt;

import dev.probestream.query.session.SqlText;
import java.util.List;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.impl.DefaultParser;

/** Detects complete input: a line that starts with a dot, or statements that end with a semicolon. */
final class StatementParser implements Parser {
    private final DefaultParser words = new DefaultParser();

    StatementParser() {
        words.setQuoteChars(new char[0]);
        words.setEscapeChars(new char[0]);
        words.setEofOnUnclosedQuote(false);
        words.setRegexVariable(null);
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        if (context == ParseContext.ACCEPT_LINE && !isWhole(line)) {
            throw new EOFError(-1, cursor, "the statement is not complete: ';' is missing");
        }
        return words.parse(line, cursor, ParseContext.COMPLETE);
    }

    static boolean isWhole(String line) {
        if (line.stripLeading().startsWith(".")) {
            return true;
        }
        List<SqlText.Piece> pieces = SqlText.split(line);
        return pieces.isEmpty() || pieces.get(pieces.size() - 1).isEnded();
    }

    @Override
    public boolean isEscapeChar(char character) {
        return false;
    }
}
