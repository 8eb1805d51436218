package dev.probestream.cli.query;

import dev.probestream.cli.query.prompt.TerminalWidth;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.PipeWriter;
import dev.probestream.query.QueryException;
import dev.probestream.query.result.CsvWriter;
import dev.probestream.query.result.JsonLinesWriter;
import dev.probestream.query.result.ResultFormat;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.result.ResultWriter.ResultColumn;
import dev.probestream.query.result.TableWriter;
import dev.probestream.query.session.QuerySession;
import dev.probestream.query.session.SqlText;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the results of statements to standard output, or to a file that appears when it is complete. */
final class Answers {
    private final QuerySession session;
    private final ResultFormat format;
    private final boolean isForSpreadsheets;
    private final @Nullable Path file;
    private final PrintWriter standardOut;

    /**
     * @param isForSpreadsheets whether CSV is written without formulas
     * @param file null = {@code standardOut}
     */
    Answers(
            QuerySession session,
            ResultFormat format,
            boolean isForSpreadsheets,
            @Nullable Path file,
            PrintWriter standardOut) {
        this.session = session;
        this.format = format;
        this.isForSpreadsheets = isForSpreadsheets;
        this.file = file;
        this.standardOut = standardOut;
    }

    void write(Question question) throws QueryException, IOException, CommandException {
        if (file == null) {
            try (PipeWriter out = new PipeWriter(standardOut)) {
                write(question, out);
            } catch (PipeWriter.ReaderGoneException e) {
                return; // the reader, such as head, has closed the pipe
            }
        } else if (format == ResultFormat.PARQUET) {
            writeParquet(question, file);
        } else {
            writeFile(question, file);
        }
    }

    private void write(Question question, Writer out) throws QueryException, IOException, CommandException {
        boolean isFirst = true;
        for (SqlText.Piece statement : question.statements()) {
            boolean isApart = !isFirst && format != ResultFormat.JSON;
            long rows = ask(question, statement, new Separated(writer(out), isApart, out));
            isFirst &= rows < 0;
        }
    }

    private long ask(Question question, SqlText.Piece statement, ResultWriter writer)
            throws IOException, CommandException {
        try {
            return session.execute(statement.text(), writer);
        } catch (QueryException e) {
            throw new CommandException(ExitCode.FAILED, question.place(statement) + ": " + e.getMessage(), e);
        }
    }

    private ResultWriter writer(Writer out) throws IOException {
        return switch (format) {
            case TABLE -> new TableWriter(out, file == null ? TerminalWidth.ofStandardOutput() : Integer.MAX_VALUE);
            case CSV -> new CsvWriter(out, isForSpreadsheets);
            case JSON -> new JsonLinesWriter(out);
            case PARQUET -> throw new IllegalStateException("a Parquet file is not written row by row");
        };
    }

    private void writeFile(Question question, Path target) throws QueryException, IOException, CommandException {
        Path part = target.resolveSibling(
                "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try {
            try (Writer out = PrivateFiles.replaceAsText(part)) {
                write(question, out);
            }
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Only the result of the last statement is written; those before it create macros, variables or tables. */
    private void writeParquet(Question question, Path target) throws IOException, CommandException {
        for (Iterator<SqlText.Piece> left = question.statements().iterator(); left.hasNext(); ) {
            SqlText.Piece statement = left.next();
            if (left.hasNext()) {
                ask(question, statement, new CsvWriter(Writer.nullWriter()));
                continue;
            }
            try {
                session.writeParquet(statement.text(), target);
            } catch (QueryException e) {
                throw new CommandException(ExitCode.FAILED, question.place(statement) + ": " + e.getMessage(), e);
            }
        }
    }

    /**
     * A query.
     *
     * @param source its origin, for messages: a file's name, or "SQL"
     */
    record Question(String source, List<SqlText.Piece> statements) {
        static Question of(String source, String sql) {
            return new Question(source, SqlText.split(sql));
        }

        /** {@code question.sql, line 12}; only the source if there is one statement. */
        String place(SqlText.Piece statement) {
            return statements.size() == 1 ? source : source + ", line " + statement.line();
        }
    }

    /** Writes a result, after an empty line if there was a result before. */
    private record Separated(ResultWriter result, boolean isApart, Appendable out) implements ResultWriter {
        @Override
        public void begin(List<ResultColumn> columns) throws IOException {
            if (isApart) {
                out.append('\n');
            }
            result.begin(columns);
        }

        @Override
        public void row(@Nullable Object[] values) throws IOException {
            result.row(values);
        }

        @Override
        public void end() throws IOException {
            result.end();
        }
    }
}
