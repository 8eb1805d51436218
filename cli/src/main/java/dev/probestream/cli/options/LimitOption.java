package dev.probestream.cli.options;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option {@code --for} of every command that captures. */
public final class LimitOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            order = 8,
            description = "Stop after TIME, such as 500ms, 10s or 2m. Default: on Ctrl-C.")
    private @Nullable Duration limit;

    /**
     * The time after which the capture ends; empty = on Ctrl-C.
     *
     * @throws ParameterException if it is zero
     */
    public Optional<Duration> limit() {
        if (limit != null && limit.isZero()) {
            throw new ParameterException(spec.commandLine(), "--for must be greater than 0");
        }
        return Optional.ofNullable(limit);
    }
}
