package dev.probestream.cli.record;

import dev.probestream.cli.convert.ConvertCommand;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.OlderFiles;
import dev.probestream.cli.terminal.OutputFile;
import dev.probestream.cli.terminal.ProgressLine;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.collector.AwaitedProcess;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.convert.ConversionException;
import dev.probestream.convert.ConversionOutcome;
import dev.probestream.convert.RecordingRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One run of the collector into a file, with its messages. */
final class Recording {
    private final CollectionRequest request;
    private final OutputFile output;
    private final Terminal terminal;
    private final boolean isVerbose;

    Recording(CollectionRequest request, OutputFile output, Terminal terminal, boolean isVerbose) {
        this.request = request;
        this.output = output;
        this.terminal = terminal;
        this.isVerbose = isVerbose;
    }

    /**
     * Records until the request's limit, a signal or the end of the targets; then writes the trace or the tables, if the
     * output asks for them.
     */
    CollectionOutcome run() throws CommandException, IOException, ResolveException {
        CollectionOutcome outcome = record(null);
        summarize(outcome);
        if (output.isConverted()) {
            convert(List.of());
        }
        return outcome;
    }

    /** The same, with Node's own trace merged into the trace, or kept beside the recording. */
    CollectionOutcome run(RecordedNodeTrace nodeTrace) throws CommandException, IOException, ResolveException {
        CollectionOutcome outcome = record(nodeTrace);
        summarize(outcome);
        if (output.isConverted()) {
            convert(nodeTrace.files());
        } else {
            nodeTrace.keepBeside(output.recording());
        }
        return outcome;
    }

    private void summarize(CollectionOutcome outcome) throws IOException {
        Summary.of(outcome, output.recording(), Files.size(output.recording()), isVerbose)
                .forEach(terminal::print);
    }

    private CollectionOutcome record(@Nullable RecordedNodeTrace nodeTrace)
            throws CommandException, IOException, ResolveException {
        StopSignal stop = new StopSignal();
        try (Signals signals = new Signals();
                Collector collector = open(signals, stop)) {
            List<String> warnings = collector.warnings();
            warnings.forEach(terminal::print);
            // Only after the probes are found: a typing error must not rename an older recording.
            output.createFolder();
            OlderFiles.keep(output);
            if (nodeTrace != null) {
                nodeTrace.begin();
            }
            CollectionOutcome outcome = collect(collector);
            if (nodeTrace != null) {
                nodeTrace.end(); // before the collector asks a command to end
            }
            collector.warnings().stream().skip(warnings.size()).forEach(terminal::print);
            return outcome;
        }
    }

    private Collector open(Signals signals, StopSignal stop) throws IOException, ResolveException {
        signals.onFirst(stop::raise);
        AwaitedProcess.await(request.targets(), request.probes(), request.limit(), stop, terminal::print);
        return Collector.open(request, stop);
    }

    private CollectionOutcome collect(Collector collector) {
        try (FilePublisher publisher = FilePublisher.create(output.recording())) {
            ProgressLine line = new ProgressLine(terminal, System::nanoTime);
            AtomicBoolean begun = new AtomicBoolean();
            return collector.run(publisher, progress -> {
                // The first progress report: all probes are attached.
                if (!begun.getAndSet(true)) {
                    terminal.print("recording with " + Quantity.count(collector.probeCount(), "probe")
                            + Summary.end(request.limit()));
                }
                progress.notices().forEach(terminal::print);
                line.progress(progress);
            });
        }
    }

    private void convert(List<Path> nodeTraces) throws CommandException, IOException {
        try {
            ConversionOutcome outcome = ConvertCommand.run(
                    List.of(output.recording()), nodeTraces, output.file(), RecordingRange.ALL, terminal);
            outcome.warnings().forEach(terminal::print);
            terminal.print(Summary.of(outcome));
        } catch (ConversionException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    e.getMessage() + "\nthe recording is kept: " + output.recording()
                            + "; retry with 'probestream convert'",
                    e);
        }
        Files.delete(output.recording());
    }
}
