package dev.probestream.cli.options;

import picocli.CommandLine.Option;

/** The option {@code --json} of every command that captures; the footer of its manual lists the fields. */
public final class JsonOption {
    @Option(
            names = "--json",
            order = 30,
            description = "Print JSON on standard output, one object per line (see below).")
    private boolean json;

    public boolean isJson() {
        return json;
    }
}
