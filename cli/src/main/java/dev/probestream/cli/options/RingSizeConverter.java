package dev.probestream.cli.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the size of a ring buffer: {@code 512K}, {@code 16M}, {@code 1G}, as all sizes. */
final class RingSizeConverter implements ITypeConverter<Integer> {
    private static final long PAGE_BYTES = 4096;
    private static final long MAX_BYTES = 1L << 30;

    private final ByteCountConverter sizes = new ByteCountConverter();

    /** The size in bytes; a ring buffer must be a power of two from a page to 1 GiB. */
    @Override
    public Integer convert(String text) {
        long sizeBytes = sizes.convert(text);
        if (Long.bitCount(sizeBytes) != 1 || sizeBytes < PAGE_BYTES || sizeBytes > MAX_BYTES) {
            throw new TypeConversionException(
                    "invalid ring buffer size '" + text + "': expected a power of two from 4K to 1G");
        }
        return (int) sizeBytes;
    }
}
