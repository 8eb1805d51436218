package dev.probestream.cli.options;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations: {@code 500ms}, {@code 10s}, {@code 1.5m}, {@code 1h}. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "invalid duration '" + text + "': expected a number and a unit, such as 500ms, 10s, 2m or 1h");
        }
        long unitNs = switch (matcher.group(2)) {
            case "ns" -> 1;
            case "us" -> 1_000;
            case "ms" -> 1_000_000;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            default -> 3_600_000_000_000L;
        };
        return Duration.ofNanos(new BigDecimal(matcher.group(1))
                .multiply(BigDecimal.valueOf(unitNs))
                .longValue());
    }
}
