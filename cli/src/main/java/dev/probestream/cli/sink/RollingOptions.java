package dev.probestream.cli.sink;

import dev.probestream.cli.options.ByteCountConverter;
import dev.probestream.sink.segment.Rolling;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** When a sink closes a slice of a capture and makes its files. */
final class RollingOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--slice",
            paramLabel = "TIME",
            order = 15,
            description = "A slice spans less than TIME of its capture's own clock. Default: 1m.")
    private @Nullable Duration slice;

    @Option(
            names = "--max-events",
            paramLabel = "N",
            order = 16,
            description = "A slice has at most N events. Default: 8000000.")
    private @Nullable Long maxEvents;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            order = 17,
            converter = ByteCountConverter.class,
            description = "A slice has at most SIZE bytes of encoded events, such as 256M. Default: 1G.")
    private @Nullable Long maxBytes;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            order = 18,
            description = "Close a slice of which nothing came for TIME although the topic is read to its end. Default:"
                    + " 1m.")
    private @Nullable Duration idle;

    /**
     * What was asked, and our defaults for the rest.
     *
     * @throws ParameterException when a limit leaves room for nothing
     */
    Rolling rolling() {
        Rolling defaults = Rolling.DEFAULT;
        Duration idleTime = idle == null ? defaults.idle() : idle;
        // An event this much later than the one before it begins a slice of its own; must be less than idle.
        Duration halfIdle = idleTime.dividedBy(2);
        Duration gap = halfIdle.compareTo(defaults.gap()) < 0 ? halfIdle : defaults.gap();
        long events = maxEvents == null ? defaults.maxEvents() : maxEvents;
        long bytes = maxBytes == null ? defaults.maxBytes() : maxBytes;
        refuse(events < 1, "--max-events", "at least 1");
        refuse(bytes < 1, "--max-size", "at least 1 byte");
        refuse(slice != null && slice.isZero(), "--slice", "longer than nothing");
        refuse(gap.isZero(), "--idle", "longer than nothing");
        return new Rolling(events, bytes, slice == null ? defaults.maxSpan() : slice, gap, idleTime);
    }

    private void refuse(boolean isWrong, String option, String rule) {
        if (isWrong) {
            throw new ParameterException(spec.commandLine(), option + " must be " + rule);
        }
    }
}
