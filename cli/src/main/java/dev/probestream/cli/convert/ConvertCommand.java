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

/** {@code convert}: recordings in, a trace or tables out. */
@Command(
        name = "convert",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "probestream convert IN.avro... -o FILE|DIR/ [--from TIME] [--to TIME] [-p PID]..."
                + "%n                           [--merge FILE...]",
        sortOptions = false,
        header = "Turns recordings into a trace, or into Parquet tables.",
        description = {
            "",
            "Reads .avro recordings of 'record' and writes one trace of them, or tables. A recording that was cut off or is broken"
                    + " is converted as far as it can be read, and the rest is said.",
            ""
        },
        footer = {
            "",
            "The trace appears under its name only when it is whole; an older file of that name is then replaced."
                    + " Tables are files DIR/TABLE/CAPTURE.parquet; those of the same capture are replaced, all others"
                    + " stay.",
            "",
            "Exit codes: 0 done, 1 failed, 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream convert trace.avro -o trace.pftrace",
            "  ./probestream convert trace.avro -o second.json --from 1s --to 2s",
            "  ./probestream convert a.avro b.avro -o both.pftrace --pid 4711",
            "  ./probestream convert trace.avro -o tables/",
            "  ./probestream convert trace.avro -o trace.pftrace --merge node_trace.*.log"
        })
public final class ConvertCommand implements Callable<Integer> {
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
                "What to write. Its ending says the format:",
                ".pftrace   for https://ui.perfetto.dev",
                ".json, .json.gz   for chrome://tracing and for Perfetto",
                "DIR/   a folder of Parquet tables, made when it is missing"
            })
    private String output = "";

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Leave out what ended before TIME, counted from the recording's start: 500ms, 1.5s, 2m.")
    private @Nullable Duration from;

    @Option(names = "--to", paramLabel = "TIME", description = "Leave out what began at TIME or later.")
    private @Nullable Duration to;

    @Option(
            names = {"-p", "--pid"},
            split = ",",
            paramLabel = "PID",
            hideParamSyntax = true,
            description = "Only these processes; can be repeated.")
    private List<Integer> pids = new ArrayList<>();

    @Option(
            names = "--merge",
            arity = "1..*",
            paramLabel = "FILE",
            description = {
                "Put these traces of Node, V8 or another program on the same machine into the same trace, whole; can be"
                        + " repeated. Chrome's JSON (node_trace.*.log) and Perfetto's protobuf, also compressed by gzip;"
                        + " a file that was cut off is merged as far as it goes."
            })
    private List<Path> merged = new ArrayList<>();

    @Override
    public Integer call() throws CommandException, ConversionException {
        check();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ConversionOutcome outcome = run(inputs, merged, Path.of(output), slice(), terminal);
        outcome.warnings().forEach(terminal::say);
        terminal.say(Summary.of(outcome));
        return ExitCode.DONE.value();
    }

    /** Converts with progress on the terminal; the outcome's remarks are for the caller to say. */
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
            case ConversionProgress.REQUESTS_PASS -> "looked for requests in ";
            default -> "surveyed ";
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
                throw new CommandException(ExitCode.FAILED, "cannot read " + file + ": there is no such file");
            }
        }
    }

    private RecordingRange slice() {
        Set<Integer> wanted = new LinkedHashSet<>(pids);
        return new RecordingRange(bound(from), bound(to), wanted);
    }

    private static Optional<Bound> bound(@Nullable Duration sinceStart) {
        return Optional.ofNullable(sinceStart).map(duration -> Bound.sinceStart(duration.toNanos()));
    }
}
