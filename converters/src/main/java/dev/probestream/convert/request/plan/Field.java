package dev.probestream.convert.request.plan;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The arguments that roles have, see {@link Role}. A probe's argument is one of them by its name and by being text or not. */
public enum Field {
    STREAM,
    FD,
    REQUEST,
    BYTES,
    /** All that was ever read from the stream. */
    RECEIVED,
    HANDLE,
    BELOW,
    BELOW_RECEIVED,
    READ,
    /** Who reads the stream: a value of the type uvreader. */
    READER,
    REST,
    BEGIN,
    TLS,
    PARSER,
    TYPE,
    METHOD,
    STATUS,
    MAJOR,
    MINOR,
    FLAGS,
    SESSION,
    NGHTTP2,
    ID,
    CATEGORY,
    CODE,
    RESULT,
    /** Of a name: UV_EAI_... (uv/errno.h); 0 = found. */
    LOOKUP_RESULT,
    /** Of a query for a name: ARES_... (ares.h); 0 = success. */
    ARES_STATUS,
    SENT,
    ROWS,
    /** How many statements were sent in one write. */
    BATCH,
    ACCEPTED,
    RECEIVED_MESSAGES,
    SENT_MESSAGES,
    RECEIVED_AT_LEAST,
    SENT_AT_LEAST,
    /** Node's id of the resource whose callback runs at the hit (execution async id); 0 = none's, such as a continuation of a promise. */
    ASYNC_ID,
    /** The id of the resource in whose callback that one was created. */
    TRIGGER_ID,
    /** How many such ids there were when a callback began. */
    ASYNC_COUNTER,
    /** The number that the npm package gave the request whose asynchronous context it is; 0 = of none. */
    CONTEXT,
    /** The id of the request's stream on a connection of HTTP/2; 0 = it is another connection. */
    HTTP2_STREAM,
    /** The pointer to the stream on which the request came that the thread serves; some of its values are none. */
    SERVED_STREAM,
    REMOTE(true),
    LOCAL(true),
    URL(true),
    /** A name that was looked up, and the first addresses that were found. */
    HOST(true),
    ADDRESS(true),
    ADDRESS_2(true),
    ADDRESS_3(true),
    /** All addresses that were found, in one text. */
    ADDRESSES(true),
    LINE(true),
    VERB(true),
    ANSWER(true),
    GRPC_STATUS(true),
    PROTOCOL(true),
    OPERATION(true),
    STATEMENT(true),
    REPLY(true),
    ERROR_CODE(true),
    TRACE_ID(true),
    SPAN_ID(true);

    private final boolean isText;

    Field() {
        this(false);
    }

    Field(boolean isText) {
        this.isText = isText;
    }

    boolean isText() {
        return isText;
    }

    /** Null = the name of an argument that is not used here. */
    static @Nullable Field of(String name, boolean isText) {
        for (Field field : values()) {
            if (field.isText == isText && field.name().toLowerCase(Locale.ROOT).equals(name)) {
                return field;
            }
        }
        return null;
    }

    /** Its place in tables, from 0. */
    @SuppressWarnings("EnumOrdinal") // any number that is unique will do
    int slot() {
        return ordinal();
    }
}
