package dev.probestream.query;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The relations that correlate events, spans, phases, requests and CPUs, and the base of the built-in queries: views and
 * macros of the resources {@code gaps.sql}, {@code correlation.sql}, {@code base.sql} and {@code counters.sql}. They are computed only when a query reads them.
 */
final class Correlation {
    private static final String[] RESOURCES = {"gaps.sql", "correlation.sql", "base.sql", "counters.sql"};

    private Correlation() {}

    /** Creates them; all tables of {@link Recordings} must exist, with all their columns. */
    static void install(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String resource : RESOURCES) {
                statement.execute(text(resource));
            }
        }
    }

    private static String text(String resource) {
        try (InputStream bytes = Correlation.class.getResourceAsStream(resource)) {
            if (bytes == null) {
                throw new IllegalStateException("missing resource " + resource);
            }
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        }
    }
}
