package dev.probestream.cli.query;

import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.builtin.BuiltInQuery;
import java.io.PrintWriter;
import java.util.Optional;

/** What the ready questions show, in lines. */
final class ViewListing {
    private ViewListing() {}

    /** All of them in a line each, or all that is known of one. */
    static void write(BuiltInQueries views, Optional<BuiltInQuery> view, PrintWriter out) {
        if (view.isPresent()) {
            details(view.get(), out);
        } else {
            int width = views.all().stream()
                    .mapToInt(ready -> ready.name().length())
                    .max()
                    .orElse(0);
            views.all()
                    .forEach(ready -> out.printf("%-" + Math.max(1, width) + "s  %s%n", ready.name(), ready.title()));
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
