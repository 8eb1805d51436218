package dev.probestream.collector.internal.program.layout;

import java.util.Arrays;
import java.util.Optional;

/**
 * Where the bytes lie that a database's client wrote to a stream or read from it: behind the arguments of the sample, at {@link
 * EventLayout#sizeBytes}.
 *
 * <pre>
 * offset  size  field
 *      0     8  sequence   how many hits of this stream there were, this one included: a gap means a lost one
 *      8     8  total      s64, of what was written the number of buffers, of what was read the number of bytes (negative: an error,
 *                          or the end)
 *     16     4  headBytes  how many bytes behind this header are used
 *     20     4  tailBytes  of what was read: how many bytes from {@link #TAIL_OFFSET} are its last ones
 *     24     8  received   s64, of what was read: all that was read from the stream until now; -1 = not known
 *     32        the bytes: of what was read its first ones; of what was written the buffers one after the other, each
 *                 0     4  lengthBytes  of the buffer
 *                 4     4  copiedBytes  the first ones of it that follow
 *                 8        the bytes
 * </pre>
 *
 * A sample has room for {@link #SMALL_BYTES} of bytes, or for {@link #HEAD_BYTES} and {@link #TAIL_BYTES}, or for {@link
 * #MANY_BUFFERS_BYTES} of the buffers of a pipeline.
 */
public final class StreamBytesLayout {
    public static final int SEQUENCE_OFFSET = 0;
    public static final int TOTAL_OFFSET = 8;
    public static final int HEAD_BYTES_OFFSET = 16;
    public static final int TAIL_BYTES_OFFSET = 20;
    public static final int RECEIVED_OFFSET = 24;
    public static final int HEADER_SIZE_BYTES = 32;

    public static final int BUFFER_LENGTH_OFFSET = 0;
    public static final int BUFFER_COPIED_OFFSET = 4;
    public static final int BUFFER_HEADER_SIZE_BYTES = 8;

    /** Room for most statements and answers. */
    public static final int SMALL_BYTES = 512;

    public static final int HEAD_BYTES = 4096;
    public static final int TAIL_BYTES = 256;
    public static final int TAIL_OFFSET = HEADER_SIZE_BYTES + HEAD_BYTES;

    /** What is copied of one of several buffers. */
    public static final int MAX_BUFFER_BYTES = 1024;

    /** Of the buffers of a pipeline. */
    public static final int MANY_BUFFERS_BYTES = 24 * 1024;

    /** The kernel's map of streams keeps as many; the longest unused one goes first. */
    public static final int MAX_STREAMS = 4096;

    /** The threads of which the kernel knows when they entered a system call that writes. */
    public static final int MAX_WRITERS = 4096;

    /** The kernel's array of descriptors has as many entries. */
    public static final int MAX_DESCRIPTORS = 4096;

    /** The key of a stream: u64 its address, u32 tgid, u32 0. */
    public static final int KEY_SIZE_BYTES = 16;

    public static final int KEY_TGID_OFFSET = 8;

    /** Whose probes' hits are bytes of streams; each has the arguments that its program needs, by these names. */
    public enum Role {
        /**
         * {@code stream}, {@code tls} (of a stream above TLS), {@code buffers} (uv_buf_t) and {@code count}; or, at the return of write(2),
         * {@code data}.
         */
        WRITE("db.write"),
        /** {@code stream}, {@code tls}, {@code data} and, but for the return of read(2), {@code length} and {@code received}. */
        READ("db.read"),
        /** {@code stream}. */
        CLOSE("db.close");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /** The role of a probe that is called so. */
        public static Optional<Role> of(String word) {
            return Arrays.stream(values())
                    .filter(role -> role.word.equals(word))
                    .findFirst();
        }
    }

    public static final String STREAM = "stream";
    public static final String TLS = "tls";
    public static final String BUFFERS = "buffers";
    public static final String COUNT = "count";
    public static final String DATA = "data";
    public static final String LENGTH = "length";
    public static final String REMOTE = "remote";
    /** All that was read from the stream until now. */
    public static final String RECEIVED = "received";

    private StreamBytesLayout() {}

    /** The room of a sample for bytes. */
    public enum Room {
        SMALL(0, SMALL_BYTES + BUFFER_HEADER_SIZE_BYTES),
        LARGE(1, HEAD_BYTES + TAIL_BYTES),
        MANY_BUFFERS(2, MANY_BUFFERS_BYTES);

        private final int number;
        private final int bytes;

        Room(int number, int bytes) {
            this.number = number;
            this.bytes = bytes;
        }

        /** Its enum stream_room (src/main/bpf/stream.h). */
        public int number() {
            return number;
        }

        /** What a sample takes behind its arguments. */
        public int sizeBytes() {
            return HEADER_SIZE_BYTES + bytes;
        }
    }
}
