package dev.probestream.bench.node;

import dev.probestream.bench.measure.Options;
import java.util.Arrays;
import java.util.Locale;

/** A server and what it is asked for. */
enum ServerKind {
    /** A constant answer. */
    HELLO("/hello"),
    /** An answer for which three files are read. */
    FILES("/files"),
    /** JSON made of two queries to PostgreSQL. */
    API("/customers/7/orders"),
    /** A constant answer over HTTPS. */
    TLS("/hello"),
    /** A constant answer beside 10,000 connections that are idle. */
    IDLE("/hello");

    private final String path;

    ServerKind(String path) {
        this.path = path;
    }

    String path() {
        return path;
    }

    /** For options and tables. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ServerKind of(String title) {
        return Arrays.stream(values())
                .filter(kind -> kind.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new Options.WrongUseException("there is no server " + title + "; there are "
                        + String.join(
                                " ",
                                Arrays.stream(values()).map(ServerKind::title).toList())));
    }
}
