package dev.probestream.cli.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes as a person writes them: {@code 512K}, {@code 16M}, {@code 1G}; powers of 1024. */
final class SizeConverter implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([KMG]?)");
    private static final long PAGE_BYTES = 4096;
    private static final long MAX_BYTES = 1L << 30;

    /** The size in bytes, a power of two from a page to 1 GiB: what a ring buffer can be. */
    @Override
    public Integer convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no size: write bytes, or a number with K, M or G");
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
                    "'" + text + "' is no size of a ring buffer: it must be a power of two from 4K to 1G");
        }
        return (int) sizeBytes;
    }
}
