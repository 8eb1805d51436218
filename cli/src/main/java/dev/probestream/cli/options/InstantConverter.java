package dev.probestream.cli.options;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment as ISO 8601 writes it: {@code 2026-11-21T14:03:00Z}, {@code 2026-11-21T15:03:00.5+01:00}. */
public final class InstantConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException(
                    "'" + text + "' is no moment: write it as 2026-11-21T14:03:00Z, or with an offset such as +01:00");
        }
    }
}
