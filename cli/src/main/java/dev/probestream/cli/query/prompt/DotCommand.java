package dev.probestream.cli.query.prompt;

import java.util.List;

/**
 * A line that starts with a dot: a command to the prompt, not to the database.
 *
 * @param name with its dot
 * @param words the words after it
 */
record DotCommand(String name, List<String> words) {
    static final List<String> NAMES = List.of(".help", ".tables", ".views", ".view", ".format", ".quit");

    static final String HELP = """
            SQL ends with ';' and may have several lines. Tab completes, Ctrl-R searches what was typed before,
            Ctrl-C stops a running question, Ctrl-D ends.

            .tables              the tables and views
            .tables NAME         the columns of one
            .views               the ready questions
            .view NAME [K=V]...  ask one
            .format FORMAT       how to show answers: table, csv or json
            .quit                end
            """;

    static DotCommand parse(String line) {
        List<String> all = List.of(line.strip().split("[\\s;]+"));
        return new DotCommand(all.get(0), all.subList(1, all.size()));
    }
}
