package dev.probestream.query;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The relations that tie events, spans, phases, requests and CPUs together, and those on which the ready views stand: views
 * and macros of the resources {@code correlation.sql} and {@code base.sql}. They are computed only when somebody asks.
 */
final class Correlation {
    private static final String[] RESOURCES = {"correlation.sql", "base.sql"};

    private Correlation() {}

    /** Makes them; all tables of {@link Recordings} must be there, with all their columns. */
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
                throw new IllegalStateException("this program lacks its own resource " + resource);
            }
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + resource, e);
        }
    }
}
