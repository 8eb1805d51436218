package dev.probestream.cli.sink;

import dev.probestream.sink.finish.SinkFormat;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what a sink is to write: {@code perfetto}, {@code chrome} or {@code parquet}. */
final class SinkFormatConverter implements ITypeConverter<SinkFormat> {
    @Override
    public SinkFormat convert(String text) {
        return Arrays.stream(SinkFormat.values())
                .filter(format -> word(format).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is no format; there are "
                        + Arrays.stream(SinkFormat.values())
                                .map(SinkFormatConverter::word)
                                .collect(Collectors.joining(", "))));
    }

    /** As it is written on the command line. */
    static String word(SinkFormat format) {
        return format.name().toLowerCase(Locale.ROOT);
    }
}
