package dev.probestream.convert.request.plan;

import dev.probestream.convert.request.http.FirstLine;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What a hit means to the assembly of requests; {@code Probe.role} holds the spelling ({@link #spelling}). Arguments are
 * found by their names, given here; one that a probe lacks is unknown.
 */
public enum Role {
    /** A connection was open already when the capture began, or is accepted. Instant; fd or a return value, remote, local (addresses as text). */
    STREAM_OPEN,
    /** A connection was accepted. Span; server, stream, fd, remote, local (addresses as text). */
    STREAM_ACCEPT,
    /** A connection is asked for. Span or instant; stream, request, remote. */
    STREAM_CONNECT,
    /** It is there, or failed. Instant or span; stream, result. */
    STREAM_CONNECTED,
    /** Bytes of a stream reach Node. Instant; stream, fd, bytes (negative: end or error). */
    STREAM_READ,
    /**
     * Bytes are handed to a stream. Span or instant; stream, fd, bytes. A return value counts more: how many were taken, or a
     * negative errno; 0 = all of them. line, if it is there: as of {@link #HTTP_LINE}.
     */
    STREAM_WRITE,
    /**
     * What was read from a stream is handed to JavaScript. Instant; stream, tls (it was decrypted), bytes (negative: end or
     * error; or a return value, of which 0 is the end), received (all that was read from the stream until now), line (the first line of an answer that the bytes begin with).
     */
    STREAM_DATA,
    /** A stream, or any other handle, is closed. Instant; stream, fd. */
    STREAM_CLOSE,
    /**
     * Bytes were read from a connection. Instant; stream, reader (2: a server's parser that is between two messages, so that the bytes begin a
     * request; 1: JavaScript, to which it is {@link #STREAM_DATA}; missing = 2), bytes or a return value (how many), line, remote, local. Of a
     * request the line is "GET /a HTTP/1.1 (head 78)", with the lengths of {@link FirstLine}; "" = it is not complete. The reading may have other
     * requests behind that one, which have no hit.
     */
    HTTP_READ,
    /** A parser has found the beginning of a message. Instant; parser, type (1 request, 2 response). */
    HTTP_BEGIN,
    /** A piece of a request's URL, or all of it. Instant; parser, url; begin and stream as of {@link #HTTP_HEADERS}. */
    HTTP_URL,
    /**
     * All headers are read. Instant; parser, type, method (llhttp's number), status, major, minor, flags (llhttp's), upgrade.
     * It begins the message if its begin was not seen, and then has of it: begin (when its first byte was parsed), url,
     * stream (that the parser reads), received (all that was read from the stream until now), read (of these, in the reading at
     * hand). If handle is there and is neither 7 nor 12 (uv_handle_type: pipe, TCP), the parser reads from a TLS session:
     * tls, and below and below_received are those of the stream. rest: how many bytes of the body follow, if that is known; with it, a
     * message without a body ends here.
     */
    HTTP_HEADERS,
    /**
     * A piece of a message's body. Instant; parser, type, flags, rest (of the body, or its chunk); stream and what goes with it, as above. The
     * message ends when nothing is left of a body whose length is known.
     */
    HTTP_BODY,
    /** The message is read to its end. Instant; parser; stream and what goes with it. */
    HTTP_END,
    /** The first line of a message is written. Span or instant; stream, tls (what encrypts it), line ("GET /a HTTP/1.1", "HTTP/1.1 200 OK"). */
    HTTP_LINE,
    /**
     * The empty chunk that ends an answer in chunks is written, or may be, as the last of many buffers. Instant at the write; stream and
     * tls as of {@link #HTTP_LINE}.
     */
    HTTP_LASTCHUNK,
    /**
     * A request is given to an HTTP/2 session. Span or instant; session, id (of its stream; negative: it was refused), line ("GET /a"), and
     * what the session reads from, as of {@link #HTTP_HEADERS}: stream, handle, tls, below.
     */
    HTTP2_REQUEST,
    /**
     * Headers begin to come on a stream of a session. Instant; session, nghttp2 (its own session), id, category (nghttp2's), flags (of the
     * frame), and what the session reads from.
     */
    HTTP2_HEADERS,
    /**
     * One of the headers that began last on the thread, or of the stream, if session and id are there; a request's. Instant; verb (the
     * method) or url.
     */
    HTTP2_FIELD,
    /**
     * The headers that began last on the thread, or those of the stream, if session and id are there, are complete; an answer's. Instant;
     * status or answer (the same as text), and grpc_status (a number as text) if the stream ends with them.
     */
    HTTP2_STATUS,
    /** A server's answer is given to a session. Instant; nghttp2, id, answer (the status as text). */
    HTTP2_ANSWER,
    /** The trailers of a server's answer, or its headers if it has no body. Instant; nghttp2, id, grpc_status (a number as text). */
    HTTP2_TRAILERS,
    /** A piece of a body came. Instant; session, id, flags (of the frame), bytes. */
    HTTP2_DATA,
    /** A stream is over. Instant; session, id, code (why, RFC 9113, section 7). */
    HTTP2_CLOSE,
    /**
     * A statement to a database, from its write to the last byte of its answer. Span on the writing thread; stream, tls, protocol,
     * operation, statement (masked), rows (-1 = unknown), reply and error_code (of a connection that ended
     * before the answer came: no reply, and "closed", "EOF" or the errno), sent and received (bytes), remote.
     */
    DB_STATEMENT,
    /**
     * A WebSocket connection, from the answer that upgrades it until it is closed. Span; stream, tls (1: with TLS), accepted (1: this end is the
     * server), received_messages and sent_messages, received_at_least and sent_at_least (1: not all could be counted), received and
     * sent (bytes of frames), remote.
     */
    WEBSOCKET_CONNECTION,
    /**
     * The npm package has given a server's request a number, under which its asynchronous context is found from then on.
     * Instant; context (counts from 1 in its process), stream if it is known, http2_stream (the id of its stream on a connection
     * of HTTP/2, else 0): its headers are those that began last on the thread.
     */
    HTTP_CONTEXT,
    /** The stack shows which code asks for a connection. Instant; stream. */
    CALLER_CONNECT,
    /** The stack shows which code writes a request. Instant on the writing thread, at its write; stream. */
    CALLER_WRITE,
    /** The stack shows which code has a URL read. Instant; url. */
    CALLER_URL,
    /** Work is asked of the thread pool. Span or instant on the asking thread; request, host (it is the lookup of that name). */
    POOL_SUBMIT,
    /** The work is done, on a pool thread. Span; request. */
    POOL_WORK,
    /** The result reaches the asking thread. Span around the callback; request; of a lookup lookup_result (libuv's; 0 = found), status. */
    POOL_DONE,
    /** A name is asked of a name server. Instant; host, request. */
    DNS_QUERY,
    /** The query is answered, or failed. Instant; request, ares_status (c-ares'; 0 = found). */
    DNS_END,
    /** The answer to a query for a name has been read. Instant; host, addresses (with blanks between them). */
    DNS_ANSWER,
    /** The loop waits for I/O and calls back from within. Span; loop. */
    LOOP_POLL,
    /**
     * The loop waits for I/O, and for nothing else: what is ready is called back behind the end. Span; loop (tells apart the loops of a
     * thread).
     */
    LOOP_WAIT,
    /**
     * Within a poll: libuv calls back for a descriptor, so the waiting is over. Span or instant; stream: that one is handled
     * until the span's end.
     */
    LOOP_CALLBACK,
    /** The loop runs timers, immediates or other phases: the request is unknown. Span. */
    LOOP_PHASE,
    /** V8 stops the thread to collect garbage. Span. */
    GC_PAUSE,
    /** The thread has no CPU. Span; state (as sched_switch reports it), runnable_ns (the last part, in which it was ready). */
    SCHED_OFF;

    /** As presets write it: {@code http.begin}. */
    public String spelling() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** Whether its hits show what a connection does. */
    public boolean isOfConnections() {
        return name().startsWith("HTTP") || name().startsWith("STREAM_");
    }

    /** Whether its hits name a connection, and not the request on it that they are of. */
    public boolean isOfStreams() {
        return name().startsWith("STREAM_") || this == HTTP_LINE || this == HTTP_LASTCHUNK;
    }

    /** Whether its hits show how far a parser of HTTP/1 has read. */
    public boolean isOfParser() {
        return this == HTTP_URL || this == HTTP_HEADERS || this == HTTP_BODY || this == HTTP_END;
    }

    /** Whether its hits are a part of work that was submitted. */
    public boolean isOfWork() {
        return this == POOL_WORK || this == POOL_DONE;
    }

    /** The role of this spelling; empty for "" and for those of later versions. */
    public static Optional<Role> ofSpelling(String spelling) {
        return Arrays.stream(values())
                .filter(role -> role.spelling().equals(spelling))
                .findFirst();
    }
}
