package dev.probestream.collector.internal.program.layout;

/**
 * Where programs write what the functions in C take of a write or a read of a stream.
 *
 * <pre>
 * offset  size  field (struct stream_hit in src/main/bpf/stream.h)
 *      0    16  stream    as {@link StreamBytesLayout} draws its key
 *     16     8  address   of a write, of its buffers (uv_buf_t); of a read, of its bytes
 *     24     8  length    of a write, how many buffers; of a read, how many bytes (negative: an error, or the end)
 *     32     8  taken     of a write, how many of its bytes the kernel has taken; -1 = all are meant
 *     40     8  only      of write(2), how many bytes there are at the address; 0 = there are buffers
 *     48     8  received  of a read, all that was read from the stream until now; -1 = not known
 *     56     8  sequence  written by the functions alone
 * </pre>
 */
public final class StreamHitLayout {
    public static final int STREAM_OFFSET = 0;
    public static final int ADDRESS_OFFSET = 16;
    public static final int LENGTH_OFFSET = 24;
    public static final int TAKEN_OFFSET = 32;
    public static final int ONLY_OFFSET = 40;
    public static final int RECEIVED_OFFSET = 48;
    public static final int SIZE_BYTES = 64;

    private StreamHitLayout() {}
}
