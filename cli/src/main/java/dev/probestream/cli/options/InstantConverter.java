package dev.probestream.cli.options;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a timestamp in ISO 8601: {@code 2026-11-21T14:03:00Z}, {@code 2026-11-21T15:03:00.5+01:00}. */
public final class InstantConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException("invalid timestamp '" + text
                    + "': expected ISO 8601 with Z or an offset, such as 2026-11-21T14:03:00Z");
        }
    }
}
