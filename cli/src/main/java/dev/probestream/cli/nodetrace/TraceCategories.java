package dev.probestream.cli.nodetrace;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The categories of Node's trace, for example {@code v8,node,node.http}.
 *
 * @param names as in Node, at least one
 */
public record TraceCategories(List<String> names) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.*-]+");

    public TraceCategories {
        names = List.copyOf(names);
    }

    /**
     * Parses a list separated by commas.
     *
     * @throws IllegalArgumentException if a name is invalid
     */
    public static TraceCategories parse(String text) {
        List<String> names = List.of(text.split(",", -1));
        for (String name : names) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("invalid trace category '" + name + "': expected a list such as"
                        + " v8,node,node.http,node.async_hooks,node.fs.async,node.perf");
            }
        }
        return new TraceCategories(names);
    }

    /** In the format of Node's option. */
    String joined() {
        return String.join(",", names);
    }
}
