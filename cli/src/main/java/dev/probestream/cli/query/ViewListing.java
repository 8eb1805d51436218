package dev.probestream.cli.query;

import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import java.io.PrintWriter;
import java.util.Optional;

/** Prints the built-in queries. */
final class ViewListing {
    private ViewListing() {}

    /** Prints one line for each query, or the description of one. */
    static void write(BuiltInQueries views, Optional<BuiltInQuery> view, PrintWriter out) {
        if (view.isPresent()) {
            details(view.get(), out);
        } else {
            int width = views.all().stream()
                    .mapToInt(query -> query.name().length())
                    .max()
                    .orElse(0);
            views.all()
                    .forEach(query -> out.printf("%-" + Math.max(1, width) + "s  %s%n", query.name(), query.title()));
        }
        out.flush();
    }

    private static void details(BuiltInQuery view, PrintWriter out) {
        out.printf("%s: %s%n%n%s%n%nColumns:%n", view.name(), view.title(), view.description());
        view.columns().forEach(column -> out.printf("  %-18s %s%n", column.name(), column.description()));
        if (!view.parameters().isEmpty()) {
            out.printf("%nParameters (--set NAME=VALUE):%n");
            view.parameters()
                    .forEach(parameter -> out.printf(
                            "  %-18s %s%n",
                            parameter.name() + "=" + parameter.defaultValue(), parameter.description()));
        }
        out.printf("%nSQL:%n%s%n", view.sql());
    }
}
