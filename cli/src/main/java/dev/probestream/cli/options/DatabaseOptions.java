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

/** Resource limits and time range of a command that queries recordings. */
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
            description =
                    "Exclude events that ended before TIME: an offset from the start of each capture (500ms, 2m), or a"
                            + " timestamp (2026-11-21T14:03:00Z).")
    private @Nullable Bound from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            order = 51,
            converter = BoundConverter.class,
            description = "Exclude events that started at TIME or later.")
    private @Nullable Bound to;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            order = 52,
            converter = ByteCountConverter.class,
            description =
                    "Memory limit of the database, such as 512M or 4G; the rest of the process needs about 200 MB. Larger"
                            + " intermediate results go to a temporary folder. Default: 1G.")
    private @Nullable Long memoryBytes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            order = 53,
            description = "Number of threads of the database. Default: one per CPU.")
    private @Nullable Integer threads;

    /** @throws ParameterException if a limit is out of range */
    public Limits limits() {
        Limits standard = Limits.standard();
        long bytes = memoryBytes == null ? standard.memoryBytes() : memoryBytes;
        int count = threads == null ? standard.threads() : threads;
        if (bytes < MIN_MEMORY_BYTES) {
            throw new ParameterException(spec.commandLine(), "--memory must be at least 64M");
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

    /** Compares bounds of the same kind only. */
    private static boolean isReversed(Bound from, Bound to) {
        boolean byDuration = from.sinceStart().isPresent()
                && to.sinceStart().isPresent()
                && from.sinceStart().get().compareTo(to.sinceStart().get()) >= 0;
        boolean byMoment = from.at().isPresent()
                && to.at().isPresent()
                && !from.at().get().isBefore(to.at().get());
        return byDuration || byMoment;
    }

    /** Parses a time in a recording: {@code 10s} after its start, or {@code 2026-11-21T14:03:00Z}. */
    static final class BoundConverter implements ITypeConverter<Bound> {
        @Override
        public Bound convert(String text) {
            if (text.matches("\\d{4}-.*")) {
                return Bound.at(new InstantConverter().convert(text));
            }
            try {
                return Bound.sinceStart(new DurationConverter().convert(text));
            } catch (TypeConversionException e) {
                throw new TypeConversionException("invalid time '" + text
                        + "': expected an offset from the start, such as 500ms, 10s or 2m, or a timestamp"
                        + " such as 2026-11-21T14:03:00Z");
            }
        }
    }
}
