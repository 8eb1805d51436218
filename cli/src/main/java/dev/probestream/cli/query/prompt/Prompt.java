package dev.probestream.cli.query.prompt;

import dev.probestream.query.QueryException;
import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.session.QuerySession;
import dev.probestream.query.session.Relation;
import dev.probestream.query.session.SqlText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** Reads statements from the terminal and prints their results until the user quits. */
public final class Prompt {
    private static final String PRIMARY = "probestream> ";
    private static final String SECONDARY = "        ...> ";
    private static final int MAX_HISTORY_LINES = 10_000;

    private final QuerySession session;
    private final BuiltInQueries views;
    private final Terminal terminal;
    private final PrintWriter out;
    private PromptFormat format = PromptFormat.TABLE;

    private Prompt(QuerySession session, BuiltInQueries views, Terminal terminal) {
        this.session = session;
        this.views = views;
        this.terminal = terminal;
        this.out = terminal.writer();
    }

    /** Whether standard input and output are terminals. */
    public static boolean isPossible() {
        return TerminalWidth.isTerminal("/proc/self/fd/0") && TerminalWidth.isTerminal("/proc/self/fd/1");
    }

    /** Returns at the end of the input, or when the user quits. */
    public static void run(QuerySession session, BuiltInQueries views) throws QueryException, IOException {
        try (Terminal terminal =
                TerminalBuilder.builder().system(true).dumb(true).build()) {
            Prompt prompt = new Prompt(session, views, terminal);
            terminal.handle(Terminal.Signal.INT, signal -> session.cancel());
            prompt.run(prompt.reader());
        }
    }

    private LineReader reader() throws QueryException {
        LineReader reader = LineReaderBuilder.builder()
                .appName("probestream")
                .terminal(terminal)
                .parser(new StatementParser())
                .completer(new WordCompleter(session.relations(), views.all()))
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, SECONDARY)
                .variable(LineReader.HISTORY_FILE_SIZE, MAX_HISTORY_LINES)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.CASE_INSENSITIVE, true)
                .option(LineReader.Option.HISTORY_TIMESTAMPED, false)
                .build();
        String stateHome = System.getenv().getOrDefault("XDG_STATE_HOME", "");
        HistoryFile.prepare(stateHome, System.getProperty("user.home"))
                .ifPresent(file -> reader.setVariable(LineReader.HISTORY_FILE, file));
        return reader;
    }

    private void run(LineReader reader) {
        out.println("End statements with ';'. Type .help for help, Ctrl-D to quit.");
        boolean isOpen = true;
        while (isOpen) {
            try {
                isOpen = take(reader.readLine(PRIMARY));
            } catch (UserInterruptException e) {
                // Ctrl-C drops the line, as in a shell.
            } catch (EndOfFileException e) {
                isOpen = false;
            }
            out.flush();
        }
    }

    /** False if the prompt is to end. */
    private boolean take(String line) {
        try {
            if (line.stripLeading().startsWith(".")) {
                return command(DotCommand.parse(line));
            }
            for (SqlText.Piece statement : SqlText.split(line)) {
                ask(statement.text());
            }
        } catch (QueryException | IOException e) {
            out.println(e.getMessage());
        }
        return true;
    }

    private boolean command(DotCommand command) throws QueryException, IOException {
        switch (command.name()) {
            case ".quit", ".exit" -> {
                return false;
            }
            case ".help" -> out.print(DotCommand.HELP);
            case ".tables" -> tables(command.words());
            case ".views" -> views.all().forEach(view -> out.printf("%-20s %s%n", view.name(), view.title()));
            case ".view" -> view(command.words());
            case ".format" -> format(command.words());
            default -> out.println("unknown command " + command.name() + "; .help lists the commands");
        }
        return true;
    }

    private void tables(List<String> words) throws QueryException {
        for (Relation relation : session.relations()) {
            if (words.isEmpty()) {
                out.println(relation.name());
            } else if (relation.name().equalsIgnoreCase(words.get(0))) {
                relation.columns().forEach(out::println);
            }
        }
    }

    private void view(List<String> words) throws QueryException, IOException {
        if (words.isEmpty()) {
            out.println("usage: .view NAME; .views lists the built-in queries");
            return;
        }
        BuiltInQuery view = views.named(words.get(0));
        Map<String, String> settings = new LinkedHashMap<>();
        for (String word : words.subList(1, words.size())) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw new QueryException("invalid parameter '" + word + "': expected NAME=VALUE");
            }
            settings.put(word.substring(0, equals), word.substring(equals + 1));
        }
        session.prepare(view, settings);
        ask(view.sql());
    }

    private void format(List<String> words) throws QueryException {
        if (!words.isEmpty()) {
            format = PromptFormat.named(words.get(0));
        }
        out.println("output format: " + format.name().toLowerCase(Locale.ROOT));
    }

    private void ask(String sql) throws QueryException, IOException {
        long startNs = System.nanoTime();
        ResultWriter writer = format.writer(out, TerminalWidth.of(terminal));
        long rows = session.execute(sql, writer);
        String time = String.format(Locale.ROOT, "%.3f s", (System.nanoTime() - startNs) / 1e9);
        out.println(rows < 0 ? "done in " + time : rows + (rows == 1 ? " row in " : " rows in ") + time);
    }
}
