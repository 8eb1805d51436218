package dev.probestream.cli.options;

import dev.probestream.query.TimeWindow.Bound;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment of a recording: {@code 10s} since its start, or {@code 2026-11-21T14:03:00Z}. */
final class BoundConverter implements ITypeConverter<Bound> {
    @Override
    public Bound convert(String text) {
        if (text.matches("\\d{4}-.*")) {
            return Bound.at(new InstantConverter().convert(text));
        }
        try {
            return Bound.sinceStart(new DurationConverter().convert(text));
        } catch (TypeConversionException e) {
            throw new TypeConversionException("'" + text
                    + "' is no time: write it as 500ms, 10s or 2m since the start, or" + " as 2026-11-21T14:03:00Z");
        }
    }
}
