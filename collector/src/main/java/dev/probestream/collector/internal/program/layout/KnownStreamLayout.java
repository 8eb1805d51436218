package dev.probestream.collector.internal.program.layout;

/**
 * The stream that a descriptor had: an entry of the array {@link MapNames#UV_STREAMS}, which programs alone write and read
 * ({@code struct known_stream} of src/main/bpf/uv_streams.bpf.c).
 */
public final class KnownStreamLayout {
    public static final int SIZE_BYTES = 3 * Long.BYTES;

    /** A power of two. Of two descriptors with one entry each is looked for again when it follows the other. */
    public static final int MAX_STREAMS = 4096;

    private KnownStreamLayout() {}
}
