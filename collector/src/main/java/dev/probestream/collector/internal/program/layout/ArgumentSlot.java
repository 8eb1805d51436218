package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ArgumentType;

/**
 * Where one argument lies in a sample. A number takes 8 bytes, already sign- or zero-extended. A {@code char[N]} takes
 * its N bytes and ends at the first NUL. A {@code str}, also one whose length or end is given, and a header of HTTP/2 is
 *
 * <pre>
 * offset  size  field
 *      0     4  length  s32, bytes of the text and its NUL; 0 = could not be read
 *      4  cap+2 text    UTF-8, NUL-terminated unless its length or end is given; longer than cap bytes = it was cut
 * </pre>
 *
 * The address of a socket is drawn in {@link AddressSlot}.
 *
 * @param type a number's, a text's or an address's
 * @param offset in bytes from the start of the sample, a multiple of 8
 * @param atReturn whether a span's value is known only when the function returns
 */
public record ArgumentSlot(ArgumentType type, int offset, boolean atReturn) {
    public static final int TEXT_OFFSET = 4;

    /**
     * How many bytes a program asks the kernel for: one more than can be recorded, so that a text that was cut can be
     * distinguished from one that just fits, and the NUL.
     */
    public static int readSizeBytes(ArgumentType string) {
        return string.capacityBytes() + 2;
    }

    public static int sizeBytes(ArgumentType type) {
        return switch (type.form()) {
            case STR, COUNTED, UP_TO, HTTP2_HEADER -> roundUp(TEXT_OFFSET + readSizeBytes(type));
            case SOCKADDR, PEER, SOCKNAME -> AddressSlot.SIZE_BYTES;
            case CHARS -> roundUp(type.capacityBytes());
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, F32, F64, UVSTREAM, UVREADER -> Long.BYTES;
            case DECLARED -> throw new IllegalArgumentException("the type of a tracepoint's field is not known yet");
        };
    }

    private static int roundUp(int sizeBytes) {
        return (sizeBytes + 7) & -8;
    }
}
