package dev.probestream.cli.options;

import dev.probestream.cli.terminal.Quantity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How often a live command prints its output, and how many times. */
public final class IntervalOptions {
    private static final Duration DEFAULT = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofDays(10);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            order = 10,
            converter = IntervalConverter.class,
            description = "The interval between outputs, such as 500ms, 2s or 1m; a number without a unit is seconds."
                    + " Default: 1s.")
    private @Nullable Duration interval;

    @Option(names = "-n", paramLabel = "N", order = 11, description = "Stop after N outputs. Default: on Ctrl-C.")
    private @Nullable Integer outputs;

    /**
     * The interval.
     *
     * @throws ParameterException if it is shorter than {@code min}, or too long to be meant
     */
    public Duration interval(Duration min) {
        Duration asked = interval == null ? DEFAULT : interval;
        if (asked.compareTo(min) < 0 || asked.compareTo(MAX) > 0) {
            throw new ParameterException(
                    spec.commandLine(), "-i must be from " + Quantity.duration(min.toNanos()) + " to 10 days");
        }
        return asked;
    }

    /**
     * The number of outputs; 0 = no limit.
     *
     * @throws ParameterException if it is given and not positive
     */
    public int outputs() {
        if (outputs != null && outputs < 1) {
            throw new ParameterException(spec.commandLine(), "-n must be greater than 0");
        }
        return outputs == null ? 0 : outputs;
    }

    /** Whether one of the two is on the command line. */
    public boolean isGiven() {
        return interval != null || outputs != null;
    }
}
