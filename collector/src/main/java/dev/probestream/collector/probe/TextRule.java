package dev.probestream.collector.probe;

/**
 * What a text argument means and hence what of it may be recorded. Applied when a sample is decoded: nothing that a rule
 * takes out reaches a file, a topic or a terminal, unless the user asks to see it.
 */
public enum TextRule {
    /** Recorded as it is. */
    PLAIN,
    /**
     * A URL or the target of a request: of its query only the names are recorded, not the values, and of its path no segment that
     * looks like a token.
     */
    URL,
    /** The name of a file, with or without folders: no part that looks like a token is recorded. */
    PATH,
    /** A query alone, without its {@code ?}; likewise. */
    QUERY,
    /**
     * A piece of such a URL, as a parser hands them out; the argument {@code parser} identifies the parser. What may be
     * a value is not recorded.
     */
    URL_PIECE,
    /**
     * The beginning of what is written to a connection: of an HTTP/1 message the first line is recorded, its target
     * as a {@link #URL}, and of an answer how long its head and its body are; of anything else nothing.
     */
    HTTP_LINE,
    /**
     * The beginning of what is read from a connection: of HTTP/1 answers the first line of the first one that does not only
     * announce another; of anything else nothing.
     */
    HTTP_STATUS,
    /**
     * The same of what may also begin with a request: of that the first line is recorded, its target as a {@link #URL}. Of both also how long the
     * head and the body are.
     */
    HTTP_READ,
    /**
     * The headers of an HTTP/2 request as Node hands them to nghttp2: method and path, as the first line of a message has them,
     * the path as a {@link #URL}; of the other headers nothing.
     */
    HTTP2_REQUEST,
    /** Headers or trailers as Node hands them to nghttp2: the number in {@code grpc-status}; of the others nothing. */
    GRPC_STATUS,
    /** A number of at most three digits, such as a status; of anything else nothing. */
    NUMBER,
    /** The answer to a DNS query: the name that was asked for. */
    DNS_NAME,
    /** The answer to a DNS query: the addresses that were found, with blanks between them; of other records nothing. */
    DNS_ADDRESSES,
    /** SQL: literals and comments are not recorded. */
    SQL,
    /** The name of a Redis command, whose arguments follow in the same event as {@link #REDIS_ARGUMENT}. */
    REDIS_COMMAND,
    /** An argument of a Redis command: passwords are not recorded. */
    REDIS_ARGUMENT,
    /** A reply of Redis, which may repeat the arguments of a command. */
    REDIS_REPLY,
    /**
     * What Node prints of an uncaught error: the place, the message and the stack are recorded, secrets in the
     * message masked as in an {@link #ARGUMENT}; the line of source and the error's own properties are not recorded.
     */
    ERROR,
    /**
     * An argument of a program that is started, or its whole command line: what may be a password is not recorded. The
     * texts of one event are arguments in their order. Holds for all texts of probes on functions such as execve(2).
     */
    ARGUMENT
}
