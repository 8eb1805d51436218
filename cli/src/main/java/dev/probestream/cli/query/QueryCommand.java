package dev.probestream.cli.query;

import dev.probestream.cli.options.DatabaseOptions;
import dev.probestream.cli.query.prompt.Prompt;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.cli.terminal.WritableFile;
import dev.probestream.query.QueryException;
import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import dev.probestream.query.result.ResultFormat;
import dev.probestream.query.session.QuerySession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code query}: runs SQL on recordings. */
@Command(
        name = "query",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = QueryCommand.HEADER,
        customSynopsis = "probestream query PATH... [SQL | -f FILE |"
                + "%n                                   --view NAME [--set KEY=VALUE]...]"
                + "%n                         [--format FORMAT] [--csv-safe] [-o FILE] [--confined]"
                + "%n                         [--from TIME] [--to TIME] [--memory SIZE] [--threads N]"
                + "%n       probestream query --list-views [--view NAME]",
        description = {
            "",
            "Opens .avro recordings and folders of Parquet tables as one database and runs SQL on it (DuckDB, embedded"
                    + " in this process; nothing is fetched from the network). Without a query, a terminal gets a prompt.",
            ""
        },
        footer = {
            "",
            "Tables: events, spans, requests, request_events, stacks, processes, threads, probes, captures, losses"
                    + " (docs/tables.md has their columns); inputs (the path of each capture); probe_NAME for"
                    + " each probe, with a column per argument; probe_views lists them. Timestamps are in UTC.",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream query trace.avro",
            "  ./probestream query trace.avro 'SELECT probe, count(*) FROM spans GROUP BY probe'",
            "  ./probestream query tables/ --view slowest-requests --set limit=5",
            "  ./probestream query before.avro after.avro --from 10s --view compare",
            "  ./probestream query tables/ -f question.sql --format csv -o answer.csv"
        })
public final class QueryCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Runs SQL queries on recordings.";

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "PATH... [SQL]",
            hideParamSyntax = true,
            description =
                    "The recordings: .avro files, and folders written by 'convert', 'record' or 'sink parquet'; then"
                            + " the SQL, quoted.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            order = 1,
            description = "Run the statements of this file, separated by ';'. '-' is standard input.")
    private @Nullable String file;

    @Option(names = "--view", paramLabel = "NAME", order = 2, description = "Run a built-in query.")
    private @Nullable String viewName;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            order = 3,
            description = "A parameter of the built-in query; can be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--list-views",
            order = 4,
            description = "List the built-in queries; with --view, describe this one.")
    private boolean listViews;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            order = 5,
            description = {
                "The format of the result:",
                "table     for people: durations and sizes with units (the default)",
                "csv       with a header line; NULL is empty, an empty string is \"\"; control characters as \\n"
                        + ", \\x1b",
                "json      one object per line",
                "parquet   a file given by -o; for one query"
            })
    private ResultFormat format = ResultFormat.TABLE;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            order = 6,
            description = "Write the result to FILE, which appears when it is complete.")
    private @Nullable Path output;

    @Option(
            names = "--csv-safe",
            order = 7,
            description = {
                "In CSV, put a ' in front of texts that a spreadsheet would run as a formula: those that begin with"
                        + " = + - @, a tab or a line break."
            })
    private boolean isForSpreadsheets;

    @Option(
            names = "--confined",
            order = 8,
            description = {
                "Let the SQL access no file but the recordings, no network and no settings; statements can only read,"
                        + " and create views, macros and tables in memory. For SQL that you have not written."
            })
    private boolean isConfined;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Override
    public Integer call() throws CommandException, QueryException, IOException {
        BuiltInQueries views = BuiltInQueries.load();
        Optional<BuiltInQuery> view = view(views);
        if (listViews) {
            ViewListing.write(views, view, spec.commandLine().getOut());
            return ExitCode.DONE.value();
        }
        Optional<String> inlineSql = inlineSql();
        check(inlineSql, view);
        if (output != null) {
            WritableFile.check(output, "cannot write " + output);
        }
        List<Path> paths = paths(views, inlineSql.isPresent() ? words.subList(0, words.size() - 1) : words);
        Optional<Answers.Question> question = question(inlineSql, view);
        if (question.isEmpty() && !Prompt.isPossible()) {
            throw usage("no query: use SQL after the paths, -f FILE ('-f -' is standard input) or --view NAME");
        }
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        try (QuerySession session = QuerySession.open(
                paths,
                database.window(),
                database.limits(),
                (pass, events) -> terminal.progress("converting: " + Quantity.count(events, "event")))) {
            session.warnings().forEach(terminal::print);
            if (isConfined) {
                session.confine(Optional.ofNullable(output));
            } else if (file != null) {
                QuestionFile.warning(file).ifPresent(terminal::print);
            }
            if (question.isEmpty()) {
                Prompt.run(session, views);
            } else {
                if (view.isPresent()) {
                    session.prepare(view.get(), settings);
                }
                new Answers(
                                session,
                                format,
                                isForSpreadsheets,
                                output,
                                spec.commandLine().getOut())
                        .write(question.get());
            }
        }
        return ExitCode.DONE.value();
    }

    private Optional<BuiltInQuery> view(BuiltInQueries views) {
        if (viewName == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(views.named(viewName));
        } catch (QueryException e) {
            throw usage(e.getMessage() + " ('query --list-views' lists them)");
        }
    }

    /** The last argument, unless it can only be a path. */
    private Optional<String> inlineSql() {
        if (words.isEmpty()) {
            return Optional.empty();
        }
        String last = words.get(words.size() - 1);
        boolean isSql = !isThere(last) && last.strip().chars().anyMatch(Character::isWhitespace);
        return isSql ? Optional.of(last) : Optional.empty();
    }

    private static boolean isThere(String word) {
        try {
            return Files.exists(Path.of(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private void check(Optional<String> inlineSql, Optional<BuiltInQuery> view) {
        int questions = (inlineSql.isPresent() ? 1 : 0) + (file == null ? 0 : 1) + (view.isPresent() ? 1 : 0);
        if (questions > 1) {
            throw usage("more than one query: use only one of SQL after the paths, -f FILE or --view NAME");
        }
        if (!settings.isEmpty() && view.isEmpty()) {
            throw usage("--set needs a built-in query: select it with --view");
        }
        if (isForSpreadsheets && format != ResultFormat.CSV) {
            throw usage("--csv-safe needs --format csv");
        }
        if (format == ResultFormat.PARQUET && output == null) {
            throw usage("--format parquet needs an output file: use -o");
        }
        if (output != null && questions == 0) {
            throw usage("-o needs a query: use SQL after the paths, -f FILE or --view NAME");
        }
        if (words.size() - (inlineSql.isPresent() ? 1 : 0) < 1) {
            throw usage("no recordings: specify .avro files or folders of tables");
        }
    }

    private static List<Path> paths(BuiltInQueries views, List<String> words) throws CommandException {
        List<Path> paths = new ArrayList<>();
        for (String word : words) {
            if (!isThere(word)) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "cannot read " + word + ": the file or folder does not exist"
                                + (isName(views, word) ? "; to run the built-in query, use --view " + word : ""));
            }
            paths.add(Path.of(word));
        }
        return paths;
    }

    private static boolean isName(BuiltInQueries views, String word) {
        try {
            return views.named(word).name().equals(word);
        } catch (QueryException e) {
            return false;
        }
    }

    /** The query; empty to start the prompt. */
    private Optional<Answers.Question> question(Optional<String> inlineSql, Optional<BuiltInQuery> view)
            throws IOException, CommandException {
        Optional<Answers.Question> asked =
                view.map(ready -> Answers.Question.of("--view " + ready.name(), ready.sql()));
        if (inlineSql.isPresent()) {
            asked = Optional.of(Answers.Question.of("SQL", inlineSql.get()));
        } else if (file != null) {
            asked = Optional.of(
                    Answers.Question.of(file.equals("-") ? "standard input" : file, QuestionFile.read(file)));
        }
        if (asked.isPresent() && asked.get().statements().isEmpty()) {
            throw usage(asked.get().source() + " contains no statement");
        }
        return asked;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
