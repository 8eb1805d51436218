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
import dev.probestream.query.report.comparison.ComparedRecording;
import dev.probestream.query.report.comparison.ComparisonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
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

/** {@code report}: analyzes recordings and writes one HTML page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream report PATH... (-o FILE.html | --json) [--together]"
                + "%n                          [--from TIME] [--to TIME] [--memory SIZE] [--threads N]"
                + "%n       probestream report BEFORE AFTER [--compare] [-o FILE.html | --json]"
                + "%n                          [--from TIME] [--to TIME] [--memory SIZE] [--threads N]",
        sortOptions = false,
        header = ReportCommand.HEADER,
        description = {
            "",
            "Detects crashes, a blocked event loop, synchronous file calls, a starved thread pool, slow DNS lookups, garbage"
                    + " collection, leaked connections, slow peers, CPU shortage and errors. Lists the findings, the worst"
                    + " first, with plots and tables below. The page is a single file without external resources.",
            "",
            "Findings name functions if the recording has CPU samples and callers (record --probes incident).",
            "",
            "Two recordings of the same program, one after the other, are compared: what changed in rates, errors, latencies,"
                    + " statements, functions on the CPU, pool, garbage collector and event loop, beyond chance. Of more, or"
                    + " of other recordings, there is one report.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 success (with or without findings), 1 failure, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream report incident.avro -o report.html",
            "  ./probestream report tables/ --json | jq -r '.findings[].title'",
            "  ./probestream report before.avro after.avro"
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

    @Option(
            names = "--compare",
            description = "Compare the first recording (before) with the second (after), whatever they are of.")
    private boolean isCompared;

    @Option(names = "--together", description = "Make one report of both, where two recordings would be compared.")
    private boolean isTogether;

    @Mixin
    private DatabaseOptions database = new DatabaseOptions();

    @Override
    public Integer call() throws CommandException, QueryException, IOException {
        requireOptionsThatFit();
        Optional<PageFile> page = output == null ? Optional.empty() : Optional.of(new PageFile(output));
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        Optional<ComparisonReport> comparison =
                paths.size() == 2 && !isTogether ? compared(terminal) : Optional.empty();
        if (comparison.isEmpty() && output == null && !isJson) {
            throw noOutput();
        }
        ReportContents contents = comparison.isPresent() ? comparison.get().contents() : read(terminal);
        if (page.isPresent()) {
            page.get().write(contents);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (isJson) {
            out.println(new ObjectMapper()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .writeValueAsString(contents));
        } else if (comparison.isPresent()) {
            comparison.get().lines().forEach(out::println);
        } else {
            printFindings(contents, out);
        }
        if (page.isPresent() && !isJson) {
            Path file = page.get().path();
            terminal.print("wrote " + file + " (" + Quantity.bytes(Files.size(file)) + ")");
        }
        out.flush();
        return ExitCode.DONE.value();
    }

    private void requireOptionsThatFit() {
        if (isCompared && isTogether) {
            throw new ParameterException(spec.commandLine(), "--compare and --together exclude each other");
        }
        if (isCompared && paths.size() != 2) {
            throw new ParameterException(
                    spec.commandLine(), "--compare needs two recordings: the one before and the one after");
        }
        if (output == null && !isJson && (isTogether || paths.size() != 2)) {
            throw noOutput();
        }
    }

    private ParameterException noOutput() {
        return new ParameterException(spec.commandLine(), "no output selected: use -o FILE.html or --json");
    }

    /** Empty if there is nothing to compare: the recordings are of different programs, or of the same time. */
    private Optional<ComparisonReport> compared(Terminal terminal) throws QueryException {
        Optional<ComparedRecording> before;
        try (Recordings recordings = open(List.of(paths.get(0)), terminal)) {
            terminal.progress("analyzing");
            before = ComparedRecording.of(recordings);
            recordings.warnings().forEach(terminal::print);
        }
        try (Recordings recordings = open(List.of(paths.get(1)), terminal)) {
            terminal.progress("analyzing");
            Optional<ComparedRecording> after = ComparedRecording.of(recordings);
            if (before.isEmpty() || after.isEmpty()) {
                return nothingToCompare();
            }
            if (!isCompared && !before.get().isOfSameProgramAtAnotherTime(after.get())) {
                return Optional.empty();
            }
            recordings.warnings().forEach(terminal::print);
            return Optional.of(ComparisonReport.of(before.get(), after.get(), Version.current(), Instant.now()));
        }
    }

    private Optional<ComparisonReport> nothingToCompare() throws QueryException {
        if (isCompared) {
            throw new QueryException(
                    "cannot compare: a recording contains no hit of a probe; check that the process ran"
                            + " and was active while it was recorded");
        }
        return Optional.empty();
    }

    private Recordings open(List<Path> opened, Terminal terminal) throws QueryException {
        return Recordings.open(
                opened,
                database.window(),
                database.limits(),
                (pass, events) -> terminal.progress("reading: " + Quantity.count(events, "event")));
    }

    private ReportContents read(Terminal terminal) throws QueryException {
        try (Recordings recordings = open(paths, terminal)) {
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
