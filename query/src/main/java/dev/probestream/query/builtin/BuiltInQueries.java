package dev.probestream.query.builtin;

import dev.probestream.query.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The built-in queries: resources {@code dev/probestream/query/views/NAME.sql}, listed in {@code INDEX} of that folder. */
public final class BuiltInQueries {
    private static final String FOLDER = "/dev/probestream/query/views/";

    private final List<BuiltInQuery> queries;

    private BuiltInQueries(List<BuiltInQuery> queries) {
        this.queries = queries;
    }

    /** Reads all built-in queries. */
    public static BuiltInQueries load() {
        return new BuiltInQueries(resource("INDEX")
                .lines()
                .filter(line -> !line.isBlank())
                .map(name -> BuiltInQueryText.parse(name, resource(name + ".sql")))
                .toList());
    }

    /** In the order in which a user would run them. */
    public List<BuiltInQuery> all() {
        return queries;
    }

    /**
     * The query of this name.
     *
     * @throws QueryException if there is none; the message lists all names
     */
    public BuiltInQuery named(String name) throws QueryException {
        for (BuiltInQuery query : queries) {
            if (query.name().equals(name)) {
                return query;
            }
        }
        throw new QueryException("there is no built-in query '" + name + "'; there are "
                + queries.stream().map(BuiltInQuery::name).collect(Collectors.joining(", ")));
    }

    private static String resource(String name) {
        try (InputStream bytes = BuiltInQueries.class.getResourceAsStream(FOLDER + name)) {
            if (bytes == null) {
                throw new IllegalStateException("missing resource " + FOLDER + name);
            }
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + FOLDER + name, e);
        }
    }
}
