package dev.probestream.cli.options;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;

/** Parses the interval between outputs: a duration as in all options, or seconds without a unit as in bcc's tools. */
final class IntervalConverter implements ITypeConverter<Duration> {
    private final DurationConverter durations = new DurationConverter();

    @Override
    public Duration convert(String text) {
        boolean isNumber = text.matches("\\d{1,9}(?:\\.\\d{1,9})?");
        return durations.convert(isNumber ? text + "s" : text);
    }
}
