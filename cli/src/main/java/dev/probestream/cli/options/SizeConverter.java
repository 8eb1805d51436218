package dev.probestream.cli.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the size of a ring buffer: {@code 512K}, {@code 16M}, {@code 1G}; units are powers of 1024. */
final class SizeConverter implements ITypeConverter<Integer> {
    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,9})([KMG]?)");
    private static final long PAGE_BYTES = 4096;
    private static final long MAX_BYTES = 1L << 30;

    /** The size in bytes; a ring buffer must be a power of two from a page to 1 GiB. */
    @Override
    public Integer convert(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "invalid size '" + text + "': expected a number of bytes, or a number with K, M or G");
        }
        int shift = switch (matcher.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            default -> 0;
        };
        long sizeBytes = Long.parseLong(matcher.group(1)) << shift;
        if (Long.bitCount(sizeBytes) != 1 || sizeBytes < PAGE_BYTES || sizeBytes > MAX_BYTES) {
            throw new TypeConversionException(
                    "invalid ring buffer size '" + text + "': expected a power of two from 4K to 1G");
        }
        return (int) sizeBytes;
    }
}
