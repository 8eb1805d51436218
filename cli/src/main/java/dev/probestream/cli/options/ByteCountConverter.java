package dev.probestream.cli.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads any number of bytes as a person writes it: {@code 4096}, {@code 64M}, {@code 1G} or {@code 1GB}; powers of 1024. */
public final class ByteCountConverter implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([KMGT]?)B?");

    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no size: write bytes, or a number with K, M, G or T");
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
