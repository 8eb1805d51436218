package dev.probestream.cli.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.probestream.cli.options.DatabaseOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.analysis.ReportAnalysis;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code report}: analyzes recordings and writes one HTML page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream report PATH... (-o FILE.html | --json) [--from TIME]"
                + "%n                          [--to TIME] [--memory SIZE] [--threads N]",
        sortOptions = false,
        header = ReportCommand.HEADER,
        description = {
            "",
            "Detects crashes, a blocked event loop, synchronous file calls, a starved thread pool, slow DNS lookups, garbage"
                    + " collection, leaked connections, slow peers, CPU shortage and errors. Lists the findings, the worst"
                    + " first, with plots and tables below. The page is a single file without external resources.",
            "",
            "Findings name functions if the recording has CPU samples and callers (record --probes incident).",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 success (with or without findings), 1 failure, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream report incident.avro -o report.html",
            "  ./probestream report tables/ --json | jq -r '.findings[].title'"
        })
public final class ReportCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Analyzes recordings and writes one page: findings and their evidence.";

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "PATH",
            hideParamSyntax = true,
            description = "Recordings (.avro), or folders of Parquet tables.")
    private List<Path> paths = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE.html",
            description = "The page. An existing file is replaced when the new one is complete.")
    private @Nullable Path output;

    @Option(names = "--json", description = "Print the report as JSON: findings, tables, and the numbers of the plots.")
    private boolean isJson;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Override
    public Integer call() throws CommandException, QueryException, IOException {
        Path page = output;
        if (page == null && !isJson) {
            throw new ParameterException(spec.commandLine(), "no output selected: use -o FILE.html or --json");
        }
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ReportContents contents = read(terminal);
        if (page != null) {
            new PageFile(page).write(contents);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (isJson) {
            out.println(new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(contents));
        } else {
            printFindings(contents, out);
            terminal.print("wrote " + page + " (" + Quantity.bytes(Files.size(page)) + ")");
        }
        out.flush();
        return ExitCode.DONE.value();
    }

    private ReportContents read(Terminal terminal) throws QueryException {
        try (Recordings recordings = Recordings.open(
                paths,
                database.window(),
                database.limits(),
                (pass, events) -> terminal.progress("reading: " + Quantity.count(events, "event")))) {
            terminal.progress("analyzing");
            ReportContents contents = ReportAnalysis.of(recordings, Version.current(), Instant.now());
            recordings.warnings().forEach(terminal::print);
            return contents;
        }
    }

    private static void printFindings(ReportContents contents, PrintWriter out) {
        out.println(contents.title());
        for (Finding finding : contents.findings()) {
            out.println();
            out.println(finding.severity() + "  " + finding.title());
            out.println("    " + finding.text());
        }
    }
}
