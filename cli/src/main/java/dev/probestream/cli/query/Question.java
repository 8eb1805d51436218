package dev.probestream.cli.query;

import dev.probestream.query.session.SqlText;
import java.util.List;

/**
 * What is asked.
 *
 * @param source where it stands, for messages: a file's name, or "SQL"
 */
record Question(String source, List<SqlText.Piece> statements) {
    static Question of(String source, String sql) {
        return new Question(source, SqlText.split(sql));
    }

    /** {@code question.sql, line 12}; only the source if it is one statement. */
    String place(SqlText.Piece statement) {
        return statements.size() == 1 ? source : source + ", line " + statement.line();
    }
}
