package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/** A parser of llhttp, from the beginning of a message to the beginning of the next. */
final class Parser {
    /** Where its messages come from. */
    Connection connection;

    /** Whose message it reads; null = not known (yet). */
    @Nullable
    Exchange exchange;

    /** When the message began; -1 = between messages. */
    long messageStartNs = -1;

    /** An answer that only announces another one. */
    boolean isInformational;

    Parser(Connection connection) {
        this.connection = connection;
    }
}
