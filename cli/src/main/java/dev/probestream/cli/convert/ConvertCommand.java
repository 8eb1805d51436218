package dev.probestream.cli.convert;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.OutputFolder;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.convert.Conversion;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.RecordingRange;
import dev.probestream.convert.RecordingRange.Bound;
import dev.probestream.convert.TraceFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code convert}: converts recordings into a trace or tables. */
@Command(
        name = "convert",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream convert IN.avro... -o FILE|DIR/ [--from TIME] [--to TIME] [-p PID]..."
                + "%n                           [--merge FILE...]",
        sortOptions = false,
        header = ConvertCommand.HEADER,
        description = {
            "",
            "Reads .avro recordings of 'record' and writes one trace or a folder of tables. A truncated or damaged"
                    + " recording is converted up to the damage, with a warning.",
            ""
        },
        footer = {
            "",
            "The trace gets its name only when it is complete; an older file of that name is then replaced."
                    + " Tables are files DIR/TABLE/CAPTURE.parquet; files of the same capture are replaced, all others"
                    + " are kept.",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream convert trace.avro -o trace.pftrace",
            "  ./probestream convert trace.avro -o second.json --from 1s --to 2s",
            "  ./probestream convert a.avro b.avro -o both.pftrace --pid 4711",
            "  ./probestream convert trace.avro -o tables/",
            "  ./probestream convert trace.avro -o trace.pftrace --merge node_trace.*.log"
        })
public final class ConvertCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Converts recordings into a trace or into Parquet tables.";

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "IN.avro",
            hideParamSyntax = true,
            description = "The recordings to convert.")
    private List<Path> inputs = List.of();

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE|DIR/",
            description = {
                "The output; the extension selects the format:",
                ".pftrace   for https://ui.perfetto.dev",
                ".json, .json.gz   for chrome://tracing and for Perfetto",
                "DIR/   a folder of Parquet tables, created if it does not exist"
            })
    private String output = "";

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description =
                    "Exclude events that ended before TIME, an offset from the start of the recording: 500ms, 1.5s,"
                            + " 2m.")
    private @Nullable Duration from;

    @Option(names = "--to", paramLabel = "TIME", description = "Exclude events that started at TIME or later.")
    private @Nullable Duration to;

    @Option(
            names = {"-p", "--pid"},
            split = ",",
            paramLabel = "PID",
            hideParamSyntax = true,
            description = "Include only these processes; can be repeated. Default: all.")
    private List<Integer> pids = new ArrayList<>();

    @Option(
            names = "--merge",
            arity = "1..*",
            paramLabel = "FILE",
            description = {
                "Merge these traces of Node, V8 or another program on the same machine into the trace, unfiltered; can"
                        + " be repeated. Formats: Chrome's JSON (node_trace.*.log) and Perfetto's protobuf, optionally"
                        + " gzipped; a truncated file is merged up to its end."
            })
    private List<Path> merged = new ArrayList<>();

    @Override
    public Integer call() throws CommandException, ConversionException {
        check();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ConversionOutcome outcome = run(inputs, merged, Path.of(output), range(), terminal);
        outcome.warnings().forEach(terminal::print);
        terminal.print(Summary.of(outcome));
        return ExitCode.DONE.value();
    }

    /** Converts with progress on the terminal; the caller prints the warnings of the outcome. */
    public static ConversionOutcome run(
            List<Path> inputs, List<Path> merged, Path output, RecordingRange slice, Terminal terminal)
            throws ConversionException {
        return Conversion.run(
                inputs,
                merged,
                output,
                slice,
                (pass, events) -> terminal.progress("converting: " + done(pass) + Quantity.count(events, "event")));
    }

    private static String done(int pass) {
        return switch (pass) {
            case ConversionProgress.ONLY_PASS -> "wrote ";
            case ConversionProgress.REQUESTS_PASS -> "assembled requests: ";
            default -> "first pass: ";
        };
    }

    private void check() throws CommandException, ConversionException {
        if (from != null && to != null && from.compareTo(to) >= 0) {
            throw new ParameterException(spec.commandLine(), "--from must be earlier than --to");
        }
        boolean isFolder = OutputFolder.isFolder(output);
        if (isFolder) {
            OutputFolder.check(Path.of(output), "cannot write " + output);
        } else {
            TraceFormat.check(Path.of(output));
        }
        checkReadable(inputs);
        checkReadable(merged);
        if (isFolder) {
            OutputFolder.create(Path.of(output));
        }
    }

    private static void checkReadable(List<Path> files) throws CommandException {
        for (Path file : files) {
            if (!Files.exists(file)) {
                throw new CommandException(ExitCode.FAILED, "cannot read " + file + ": the file does not exist");
            }
        }
    }

    private RecordingRange range() {
        Set<Integer> selected = new LinkedHashSet<>(pids);
        return new RecordingRange(bound(from), bound(to), selected);
    }

    private static Optional<Bound> bound(@Nullable Duration sinceStart) {
        return Optional.ofNullable(sinceStart).map(duration -> Bound.sinceStart(duration.toNanos()));
    }
}
