package dev.probestream.query.builtin;

import dev.probestream.query.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The ready views: resources {@code dev/probestream/query/views/NAME.sql}, named in {@code INDEX} there. */
public final class BuiltInQueries {
    private static final String FOLDER = "/dev/probestream/query/views/";

    private final List<BuiltInQuery> views;

    private BuiltInQueries(List<BuiltInQuery> views) {
        this.views = views;
    }

    /** Reads all of them. */
    public static BuiltInQueries load() {
        return new BuiltInQueries(resource("INDEX")
                .lines()
                .filter(line -> !line.isBlank())
                .map(name -> BuiltInQueryText.parse(name, resource(name + ".sql")))
                .toList());
    }

    /** In the order in which a person would ask. */
    public List<BuiltInQuery> all() {
        return views;
    }

    /**
     * The view of this name.
     *
     * @throws QueryException if there is none, naming those that there are
     */
    public BuiltInQuery named(String name) throws QueryException {
        for (BuiltInQuery view : views) {
            if (view.name().equals(name)) {
                return view;
            }
        }
        throw new QueryException("there is no ready view '" + name + "'; there are "
                + views.stream().map(BuiltInQuery::name).collect(Collectors.joining(", ")));
    }

    private static String resource(String name) {
        try (InputStream bytes = BuiltInQueries.class.getResourceAsStream(FOLDER + name)) {
            if (bytes == null) {
                throw new IllegalStateException("this program lacks its own resource " + FOLDER + name);
            }
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the resource " + FOLDER + name, e);
        }
    }
}
