package dev.probestream.cli.nodetrace;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What Node is to write into its trace, for example {@code v8,node,node.http}.
 *
 * @param names as Node spells them, at least one
 */
public record TraceCategories(List<String> names) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.*-]+");

    public TraceCategories {
        names = List.copyOf(names);
    }

    /**
     * Reads a list that is separated by commas.
     *
     * @throws IllegalArgumentException when a name is none; says which
     */
    public static TraceCategories parse(String text) {
        List<String> names = List.of(text.split(",", -1));
        for (String name : names) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("'" + name + "' is no category of Node's trace; write them as in"
                        + " v8,node,node.http,node.async_hooks,node.fs.async,node.perf");
            }
        }
        return new TraceCategories(names);
    }

    /** As Node's option takes them. */
    String joined() {
        return String.join(",", names);
    }
}
