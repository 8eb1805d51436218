package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How the bytes of an argument are to be read.
 *
 * @param form what kind of value it is
 * @param capacityBytes for {@link Form#STR} and its kin the most bytes that are read, the terminating NUL included; for {@link
 *     Form#CHARS} the size of the array; for addresses that of the longest path; for numbers their size in memory (1, 2, 4 or 8); 0 for {@link Form#DECLARED}
 * @param boundArgument for {@link Form#COUNTED} the argument that holds the text's length in bytes, counted from 1, or
 *     0 when the length lies behind the text's pointer in memory; for {@link Form#UP_TO} the one that holds the
 *     address behind the text's last byte; for {@link Form#HTTP2_HEADER} the frame; else 0
 * @param lengthOffsetBytes for {@link Form#COUNTED} without a bound argument: how far behind the text's pointer its length
 *     lies, a multiple of 8; else 0
 * @param header for {@link Form#HTTP2_HEADER} which; else empty
 */
public record ArgumentType(
        Form form, int capacityBytes, int boundArgument, int lengthOffsetBytes, Optional<Http2Header> header) {
    /** How much of a string is read when a spec does not say: most paths fit. */
    public static final int DEFAULT_STRING_BYTES = 128;

    /** The longest string that can be asked for: PATH_MAX of linux/limits.h. */
    public static final int MAX_STRING_BYTES = 4096;

    /** No structure has a text's length further behind its pointer. */
    public static final int MAX_LENGTH_OFFSET_BYTES = 64;

    /** The longest path that a socket can have: {@code sun_path} of linux/un.h. */
    public static final int MAX_SOCKET_PATH_BYTES = 108;

    /** A signed number of 64 bits. */
    public static final ArgumentType S64 = number(Form.S64);
    /** A number of the type that the probe's place declares. */
    public static final ArgumentType DECLARED = number(Form.DECLARED);

    /** The forms of a value; the names are the spellings in a spec, in capitals. */
    public enum Form {
        /** Signed, 8 bits. */
        S8(1, true),
        /** Unsigned, 8 bits. */
        U8(1, false),
        /** Signed, 16 bits. */
        S16(2, true),
        /** Unsigned, 16 bits. */
        U16(2, false),
        /** Signed, 32 bits. */
        S32(4, true),
        /** Unsigned, 32 bits. */
        U32(4, false),
        /** Signed, 64 bits. */
        S64(8, true),
        /** Unsigned, 64 bits. */
        U64(8, false),
        /** An address; shown in hex. */
        PTR(8, false),
        /** One byte; 0 is false. */
        BOOL(1, false),
        /** A float of C, which is recorded as text. */
        F32(4, false),
        /** A double of C, likewise. */
        F64(8, false),
        /** NUL-terminated text behind a pointer. */
        STR(0, false),
        /** Text behind a pointer whose length in bytes is given separately; no NUL ends it. */
        COUNTED(0, false),
        /** Text between two pointers, the second behind its last byte; no NUL ends it. */
        UP_TO(0, false),
        /** An array of characters in place, ended by the first NUL or by its size. */
        CHARS(0, false),
        /** The address in a {@code struct sockaddr} that lies where a pointer points, as text. */
        SOCKADDR(0, false),
        /** The address of the other end of a socket, as text; the value is a file descriptor of the running process. */
        PEER(0, false),
        /** The address of this end of a socket, likewise. */
        SOCKNAME(0, false),
        /**
         * The address of libuv's stream (uv_stream_t) of a file descriptor, which the value is, in the event loop of the running
         * thread; recorded as {@link #PTR}.
         */
        UVSTREAM(8, false),
        /**
         * Who reads the bytes of that stream, a number that src/main/bpf/uv_readers.bpf.c explains; recorded as {@link #U8}.
         */
        UVREADER(1, false),
        /**
         * The value of one header of an HTTP/2 stream in Node. The pointer is the session (node::http2::Http2Session); behind it,
         * at the first of two offsets, lie its streams, and in a stream, at the second, the headers that came last.
         */
        HTTP2_HEADER(0, false),
        /** As the tracepoint's format file declares the field. */
        DECLARED(0, false);

        private final int sizeBytes;
        private final boolean signed;

        Form(int sizeBytes, boolean signed) {
            this.sizeBytes = sizeBytes;
            this.signed = signed;
        }

        /**
         * {@return whether it is the address of a socket; its text is made when a sample is decoded, so nothing
         * compares it}
         */
        public boolean isAddress() {
            return this == SOCKADDR || isSocketEnd();
        }

        /**
         * {@return whether it is a floating-point number; its text is made when a sample is decoded, so nothing
         * compares it}
         */
        public boolean isFloat() {
            return this == F32 || this == F64;
        }

        /** {@return whether it is the address of one end of the socket of a file descriptor} */
        public boolean isSocketEnd() {
            return this == PEER || this == SOCKNAME;
        }

        /** {@return whether it is found by a file descriptor, which the value is, in the event loop of the running thread} */
        public boolean isOfLoop() {
            return this == UVSTREAM || this == UVREADER;
        }

        /** {@return whether it is an address; it has 64 bits and no sign, and is shown in hex} */
        public boolean isPointer() {
            return this == PTR || this == UVSTREAM;
        }
    }

    /** As the number of an argument: what the system call has returned. */
    public static final int RETURNED = -1;

    /** Checks the values. */
    public ArgumentType {
        boolean isText = isText(form);
        if (isText && (capacityBytes < 1 || capacityBytes > MAX_STRING_BYTES)) {
            throw new IllegalArgumentException(
                    "a string of " + capacityBytes + " bytes: 1 to " + MAX_STRING_BYTES + " can be read");
        }
        if (!isText && capacityBytes != form.sizeBytes) {
            throw new IllegalArgumentException(form + " of " + capacityBytes + " bytes");
        }
        boolean mayBeBounded = form == Form.COUNTED || form == Form.UP_TO || form == Form.HTTP2_HEADER;
        if (boundArgument != 0 && !mayBeBounded) {
            throw new IllegalArgumentException(form + " bounded by argument " + boundArgument);
        }
        if (lengthOffsetBytes < 0 || lengthOffsetBytes > MAX_LENGTH_OFFSET_BYTES || lengthOffsetBytes % 8 != 0) {
            throw new IllegalArgumentException("a length " + lengthOffsetBytes + " bytes behind a pointer");
        }
        if (header.isPresent() != (form == Form.HTTP2_HEADER)) {
            throw new IllegalArgumentException(form + " with the header " + header);
        }
    }

    private ArgumentType(Form form, int capacityBytes, int boundArgument, int lengthOffsetBytes) {
        this(form, capacityBytes, boundArgument, lengthOffsetBytes, Optional.empty());
    }

    /**
     * {@return a number of this form}
     *
     * @param form of a number
     */
    public static ArgumentType number(Form form) {
        return new ArgumentType(form, form.sizeBytes, 0, 0);
    }

    /**
     * {@return text behind a pointer, of which at most {@code capacityBytes} are read}
     *
     * @param capacityBytes more than zero
     */
    public static ArgumentType string(int capacityBytes) {
        return new ArgumentType(Form.STR, capacityBytes, 0, 0);
    }

    /**
     * {@return text behind a pointer, its length in bytes in another argument: {@code str[argN,CAPACITY]}}
     *
     * @param lengthArgument number of the argument with the length in bytes, from 1, or {@link #RETURNED}
     * @param capacityBytes more than zero
     */
    public static ArgumentType countedString(int lengthArgument, int capacityBytes) {
        return new ArgumentType(Form.COUNTED, capacityBytes, lengthArgument, 0);
    }

    /**
     * {@return text behind a pointer, up to the address that another argument holds: {@code str[..argN,CAPACITY]}}
     *
     * @param endArgument number of the argument with the address, from 1
     * @param capacityBytes more than zero
     */
    public static ArgumentType stringUpTo(int endArgument, int capacityBytes) {
        return new ArgumentType(Form.UP_TO, capacityBytes, endArgument, 0);
    }

    /**
     * {@return a string of Go's: pointer and length}
     *
     * @param lengthArgument the argument behind the pointer's, or 0 when both lie in memory
     * @param capacityBytes more than zero
     */
    public static ArgumentType goString(int lengthArgument, int capacityBytes) {
        return new ArgumentType(Form.COUNTED, capacityBytes, lengthArgument, lengthArgument == 0 ? Long.BYTES : 0);
    }

    /**
     * {@return text whose pointer lies in memory, and its length behind it: {@code str[+N,CAPACITY]}}
     *
     * @param lengthOffsetBytes how far behind the pointer, a multiple of 8
     * @param capacityBytes more than zero
     */
    public static ArgumentType stringWithLengthBehind(int lengthOffsetBytes, int capacityBytes) {
        return new ArgumentType(Form.COUNTED, capacityBytes, 0, lengthOffsetBytes);
    }

    /**
     * {@return the value of a header of the HTTP/2 stream that a frame belongs to: {@code http2header[argN,NAME]}}
     *
     * @param frameArgument number of the argument that points to the frame (nghttp2_frame), from 1
     * @param header which
     */
    public static ArgumentType http2Header(int frameArgument, Http2Header header) {
        return new ArgumentType(Form.HTTP2_HEADER, header.capacityBytes(), frameArgument, 0, Optional.of(header));
    }

    /**
     * {@return the address of a socket, for a form that {@link Form#isAddress}}
     *
     * @param form which end of which socket
     */
    public static ArgumentType address(Form form) {
        return new ArgumentType(form, MAX_SOCKET_PATH_BYTES, 0, 0);
    }

    /**
     * {@return an array of {@code sizeBytes} characters in place}
     *
     * @param sizeBytes more than zero
     */
    public static ArgumentType chars(int sizeBytes) {
        return new ArgumentType(Form.CHARS, sizeBytes, 0, 0);
    }

    /**
     * {@return the type of a number that is spelled so}
     *
     * @param word as in a spec: {@code u32}
     */
    public static Optional<ArgumentType> ofSpelling(String word) {
        return Arrays.stream(Form.values())
                .filter(form -> form.sizeBytes != 0
                        && form.name().toLowerCase(Locale.ROOT).equals(word))
                .map(ArgumentType::number)
                .findFirst();
    }

    /** {@return whether the value is text; everything else is a number} */
    public boolean isText() {
        return isText(form);
    }

    private static boolean isText(Form form) {
        return switch (form) {
            case STR, COUNTED, UP_TO, CHARS, SOCKADDR, PEER, SOCKNAME, F32, F64, HTTP2_HEADER -> true;
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, UVSTREAM, UVREADER, DECLARED -> false;
        };
    }

    /** {@return whether the number must be sign-extended} */
    public boolean isSigned() {
        return form.signed;
    }

    /** {@return the type as the Avro record {@code Argument} names it: {@code s32}, {@code str}, {@code char[16]}} */
    public String recordName() {
        return switch (form) {
            case CHARS -> "char[" + capacityBytes + "]";
            // Readers of the text need not know how it was found.
            case COUNTED, UP_TO, SOCKADDR, PEER, SOCKNAME, F32, F64, HTTP2_HEADER -> "str";
            case UVSTREAM -> "ptr";
            case UVREADER -> "u8";
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, STR, DECLARED ->
                form.name().toLowerCase(Locale.ROOT);
        };
    }
}
