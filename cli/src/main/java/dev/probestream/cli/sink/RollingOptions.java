package dev.probestream.cli.sink;

import dev.probestream.cli.options.ByteCountConverter;
import dev.probestream.sink.segment.Rolling;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** When a sink closes a segment of a capture and writes its files. */
final class RollingOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--slice",
            paramLabel = "TIME",
            order = 15,
            description = "Maximum time range of a segment, in the clock of its capture. Default: 1m.")
    private @Nullable Duration slice;

    @Option(
            names = "--max-events",
            paramLabel = "N",
            order = 16,
            description = "Maximum number of events in a segment. Default: 8000000.")
    private @Nullable Long maxEvents;

    @Option(
            names = "--max-size",
            paramLabel = "SIZE",
            order = 17,
            converter = ByteCountConverter.class,
            description = "Maximum size of the encoded events of a segment, such as 256M. Default: 1G.")
    private @Nullable Long maxBytes;

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            order = 18,
            description = "Close a segment if no event arrived for TIME although the topic is read to its end. Default:"
                    + " 1m.")
    private @Nullable Duration idle;

    /**
     * The given limits, and defaults for the rest.
     *
     * @throws ParameterException if a limit is zero
     */
    Rolling rolling() {
        Rolling defaults = Rolling.DEFAULT;
        Duration idleTime = idle == null ? defaults.idle() : idle;
        // An event this much later than its predecessor starts a new segment; must be less than idle.
        Duration halfIdle = idleTime.dividedBy(2);
        Duration gap = halfIdle.compareTo(defaults.gap()) < 0 ? halfIdle : defaults.gap();
        long events = maxEvents == null ? defaults.maxEvents() : maxEvents;
        long bytes = maxBytes == null ? defaults.maxBytes() : maxBytes;
        refuse(events < 1, "--max-events", "at least 1");
        refuse(bytes < 1, "--max-size", "at least 1 byte");
        refuse(slice != null && slice.isZero(), "--slice", "greater than 0");
        refuse(gap.isZero(), "--idle", "greater than 0");
        return new Rolling(events, bytes, slice == null ? defaults.maxSpan() : slice, gap, idleTime);
    }

    private void refuse(boolean isWrong, String option, String rule) {
        if (isWrong) {
            throw new ParameterException(spec.commandLine(), option + " must be " + rule);
        }
    }
}
