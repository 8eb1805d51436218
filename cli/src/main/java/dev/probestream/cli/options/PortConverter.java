package dev.probestream.cli.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a port to listen on: 1 to 65535, or 0 for any free port. */
public final class PortConverter implements ITypeConverter<Integer> {
    private static final int MAX_PORT = 65_535;

    @Override
    public Integer convert(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > MAX_PORT) {
            throw new TypeConversionException("invalid port '" + text + "': expected a number from 1 to " + MAX_PORT
                    + ", or 0 for any free port");
        }
        return Integer.valueOf(text);
    }
}
