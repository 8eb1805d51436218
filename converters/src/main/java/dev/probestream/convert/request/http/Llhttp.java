package dev.probestream.convert.request.http;

/** What the numbers of llhttp mean, Node's HTTP parser. The same in all versions from 6 (Node 18) to 9 (Node 20 and later). */
public final class Llhttp {
    /** llhttp.h, enum llhttp_type */
    public static final int TYPE_REQUEST = 1;

    /** llhttp.h, enum llhttp_type */
    public static final int TYPE_RESPONSE = 2;

    /** llhttp.h, HTTP_ALL_METHOD_MAP: the place in the list is the number. Later versions append. */
    private static final String[] METHODS = {
        "DELETE",
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "CONNECT",
        "OPTIONS",
        "TRACE",
        "COPY",
        "LOCK",
        "MKCOL",
        "MOVE",
        "PROPFIND",
        "PROPPATCH",
        "SEARCH",
        "UNLOCK",
        "BIND",
        "REBIND",
        "UNBIND",
        "ACL",
        "REPORT",
        "MKACTIVITY",
        "CHECKOUT",
        "MERGE",
        "M-SEARCH",
        "NOTIFY",
        "SUBSCRIBE",
        "UNSUBSCRIBE",
        "PATCH",
        "PURGE",
        "MKCALENDAR",
        "LINK",
        "UNLINK",
        "SOURCE",
        "PRI",
        "DESCRIBE",
        "ANNOUNCE",
        "SETUP",
        "PLAY",
        "PAUSE",
        "TEARDOWN",
        "GET_PARAMETER",
        "SET_PARAMETER",
        "REDIRECT",
        "RECORD",
        "FLUSH",
        "QUERY"
    };

    /** llhttp.h, enum llhttp_flags */
    private static final int F_CONNECTION_KEEP_ALIVE = 0x1;

    private static final int F_CONNECTION_CLOSE = 0x2;
    private static final int F_CHUNKED = 0x8;
    private static final int F_CONTENT_LENGTH = 0x20;

    private Llhttp() {}

    /** The name of the method with this number; "" = a number of a later version. */
    public static String method(long number) {
        return number >= 0 && number < METHODS.length ? METHODS[(int) number] : "";
    }

    /** Whether a request has a body, though it may be empty (llhttp__after_headers_complete, http.c). */
    public static boolean hasBody(long flags) {
        return (flags & (F_CHUNKED | F_CONTENT_LENGTH)) != 0;
    }

    /** As llhttp_should_keep_alive (http.c) decides for a request. */
    public static boolean keepsAlive(long major, long minor, long flags) {
        return (major > 0 && minor > 0) ? (flags & F_CONNECTION_CLOSE) == 0 : (flags & F_CONNECTION_KEEP_ALIVE) != 0;
    }

    /**
     * As llhttp_should_keep_alive decides for an answer: its length must also be known (llhttp_message_needs_eof). That the
     * answer to a HEAD has no body is known to llhttp only after its headers, so it is asked for here.
     */
    public static boolean keepsAlive(long major, long minor, long flags, int status, boolean isAnswerToHead) {
        boolean hasNoBody = status / 100 == 1 || status == 204 || status == 304 || isAnswerToHead;
        return keepsAlive(major, minor, flags) && (hasNoBody || hasBody(flags));
    }

    /** Whether a message whose length was known from its headers has nothing left that is to come (llhttp's content_length). */
    public static boolean isWhole(long flags, long rest) {
        return (flags & F_CONTENT_LENGTH) != 0 && (flags & F_CHUNKED) == 0 && rest == 0;
    }

    /** Whether an answer ends with its headers, whatever they contain (RFC 9112, 6.3). */
    public static boolean hasNoBody(String method, int status) {
        return status == 204 || status == 304 || method.equals("HEAD") || switchesProtocol(method, status);
    }

    /** Whether it only announces the answer, or asks for more (RFC 9110, 15.2). */
    public static boolean isInformational(int status) {
        return status / 100 == 1 && status != 101;
    }

    /** Whether Node answers a request so that its parser cannot read, or that does not come (_http_server.js, socketOnError). */
    public static boolean isRefusal(int status) {
        return status == 400 || status == 408 || status == 413 || status == 431;
    }

    /** Whether from this answer on the connection carries another protocol (RFC 9110, 15.2.2 and 9.3.6). */
    public static boolean switchesProtocol(String method, int status) {
        return status == 101 || (method.equals("CONNECT") && status / 100 == 2);
    }
}
