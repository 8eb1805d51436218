package dev.probestream.cli.options;

import dev.probestream.cli.nodetrace.TraceCategories;
import dev.probestream.cli.terminal.OutputFile;
import dev.probestream.collector.TargetSelection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether Node is to write its own trace meanwhile. */
public final class NodeTraceOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--v8-trace",
            paramLabel = "CATEGORIES",
            order = 20,
            description = {
                "Have Node write its own trace too, and merge it into a .pftrace or .json; beside an .avro it is left as"
                        + " FILE.node_trace.N.log for 'convert --merge'. For example v8,node,node.http,node.async_hooks.",
                "A command gets it by NODE_OPTIONS, and every Node that it starts. Of a running process (-p, one) the"
                        + " inspector is opened by SIGUSR1 on a port of 127.0.0.1, if it is not open, and closed at the end:"
                        + " meanwhile every local user can run code in that process. A command that still runs at the end"
                        + " is made to write its trace in the same way."
            })
    private @Nullable String categories;

    /**
     * What it is to write; empty = nothing.
     *
     * @throws ParameterException when it cannot go together with the target or the output
     */
    public Optional<TraceCategories> categories(TargetSelection selection, OutputFile output) {
        if (categories == null) {
            return Optional.empty();
        }
        if (selection.command().isEmpty() && selection.pids().size() != 1) {
            throw refusal("--v8-trace takes a command, or one running process (-p PID): each process would open its"
                    + " inspector on the same port");
        }
        if (output.isFolder()) {
            throw refusal("--v8-trace goes into .pftrace, .json or beside .avro: tables hold recordings only");
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
