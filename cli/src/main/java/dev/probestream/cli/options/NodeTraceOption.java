package dev.probestream.cli.options;

import dev.probestream.cli.nodetrace.TraceCategories;
import dev.probestream.cli.terminal.OutputFile;
import dev.probestream.collector.request.TargetSelection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option {@code --v8-trace}: whether Node writes its own trace during the recording. */
public final class NodeTraceOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--v8-trace",
            paramLabel = "CATEGORIES",
            order = 20,
            description = {
                "Also make Node write its own trace, for example v8,node,node.http, and merge it into a .pftrace or .json; for an"
                        + " .avro it is FILE.node_trace.N.log, for 'convert --merge'. For a running process (-p) the inspector"
                        + " is open on 127.0.0.1 until the end: every local user can run code in that process.",
            })
    private @Nullable String categories;

    /**
     * The trace categories; empty if Node writes no trace.
     *
     * @throws ParameterException if the target or the output does not support it
     */
    public Optional<TraceCategories> categories(TargetSelection selection, OutputFile output) {
        if (categories == null) {
            return Optional.empty();
        }
        if (selection.command().isEmpty() && selection.pids().size() != 1) {
            throw refusal(
                    "--v8-trace needs a command or exactly one running process (-p PID): several processes would open their"
                            + " inspectors on the same port");
        }
        if (output.isFolder()) {
            throw refusal(
                    "--v8-trace needs an output of .pftrace, .json or .avro: tables cannot hold the trace of Node");
        }
        try {
            return Optional.of(TraceCategories.parse(categories));
        } catch (IllegalArgumentException e) {
            throw refusal("--v8-trace: " + e.getMessage());
        }
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
