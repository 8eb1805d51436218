package dev.probestream.cli.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of bytes: {@code 4096}, {@code 64M}, {@code 1G} or {@code 1GB}; units are powers of 1024. */
public final class ByteCountConverter implements ITypeConverter<Long> {
    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,9})([KMGT]?)B?");

    @Override
    public Long convert(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("invalid size '" + text
                    + "': expected a number of bytes, or a number with K, M, G or T such as 16M");
        }
        int shift = switch (matcher.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            case "T" -> 40;
            default -> 0;
        };
        return Long.parseLong(matcher.group(1)) << shift;
    }
}
