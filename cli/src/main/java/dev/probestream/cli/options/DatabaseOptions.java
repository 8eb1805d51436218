package dev.probestream.cli.options;

import dev.probestream.query.Limits;
import dev.probestream.query.TimeRange;
import dev.probestream.query.TimeRange.Bound;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** What a command that asks recordings may use, and which part of them it looks at. */
public final class DatabaseOptions {
    private static final long MIN_MEMORY_BYTES = 64L << 20;
    private static final int MAX_THREADS = 1024;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            order = 50,
            converter = BoundConverter.class,
            description = "Leave out what ended before TIME: since the start of each capture (500ms, 2m), or a moment"
                    + " (2026-11-21T14:03:00Z).")
    private @Nullable Bound from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            order = 51,
            converter = BoundConverter.class,
            description = "Leave out what began at TIME or later. What is left out is not read.")
    private @Nullable Bound to;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            order = 52,
            converter = ByteCountConverter.class,
            description =
                    "What the database may keep in memory, such as 512M or 4G, beside some 200 MB for the rest; more"
                            + " goes to a temporary folder (default: 1G).")
    private @Nullable Long memoryBytes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            order = 53,
            description = "How many threads it may use (default: one a CPU).")
    private @Nullable Integer threads;

    /** @throws ParameterException if they are none */
    public Limits limits() {
        Limits standard = Limits.standard();
        long bytes = memoryBytes == null ? standard.memoryBytes() : memoryBytes;
        int count = threads == null ? standard.threads() : threads;
        if (bytes < MIN_MEMORY_BYTES) {
            throw new ParameterException(spec.commandLine(), "--memory must be 64M at least");
        }
        if (count < 1 || count > MAX_THREADS) {
            throw new ParameterException(spec.commandLine(), "--threads must be from 1 to " + MAX_THREADS);
        }
        return new Limits(bytes, count);
    }

    /** @throws ParameterException if it ends before it begins */
    public TimeRange window() {
        Optional<Bound> first = Optional.ofNullable(from);
        Optional<Bound> end = Optional.ofNullable(to);
        boolean isReversed = first.isPresent() && end.isPresent() && isReversed(first.get(), end.get());
        if (isReversed) {
            throw new ParameterException(spec.commandLine(), "--from must be earlier than --to");
        }
        return new TimeRange(first, end);
    }

    /** Only those of one kind can be compared. */
    private static boolean isReversed(Bound from, Bound to) {
        boolean byDuration = from.sinceStart().isPresent()
                && to.sinceStart().isPresent()
                && from.sinceStart().get().compareTo(to.sinceStart().get()) >= 0;
        boolean byMoment = from.at().isPresent()
                && to.at().isPresent()
                && !from.at().get().isBefore(to.at().get());
        return byDuration || byMoment;
    }

    /** Reads a moment of a recording: {@code 10s} since its start, or {@code 2026-11-21T14:03:00Z}. */
    static final class BoundConverter implements ITypeConverter<Bound> {
        @Override
        public Bound convert(String text) {
            if (text.matches("\\d{4}-.*")) {
                return Bound.at(new InstantConverter().convert(text));
            }
            try {
                return Bound.sinceStart(new DurationConverter().convert(text));
            } catch (TypeConversionException e) {
                throw new TypeConversionException(
                        "'" + text + "' is no time: write it as 500ms, 10s or 2m since the start, or"
                                + " as 2026-11-21T14:03:00Z");
            }
        }
    }
}
