package dev.probestream.collector.internal.program.layout;

/** A header of HTTP/2 that is looked for: {@code struct http2_search} of src/main/bpf/http2_headers.bpf.c, of u64. */
public final class Http2SearchLayout {
    public static final int SESSION_OFFSET = 0;
    public static final int FRAME_OFFSET = 8;
    public static final int STREAMS_PLACE_OFFSET = 16;
    public static final int HEADERS_PLACE_OFFSET = 24;
    public static final int IS_FIRST_OFFSET = 32;
    public static final int NAME_OFFSET = 40;
    /** Its address, and behind that its length. */
    public static final int VALUE_OFFSET = 56;

    public static final int SIZE_BYTES = 72;

    /** The longest name that can be looked for. */
    public static final int MAX_NAME_BYTES = VALUE_OFFSET - NAME_OFFSET;

    private Http2SearchLayout() {}
}
