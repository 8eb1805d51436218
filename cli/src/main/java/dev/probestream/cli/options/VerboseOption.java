package dev.probestream.cli.options;

import picocli.CommandLine.Option;

/** The option {@code -v} of commands that tell at the end what their probes cost. */
public final class VerboseOption {
    @Option(
            names = {"-v", "--verbose"},
            order = 31,
            description = "Print at the end what each probe cost the processes.")
    private boolean verbose;

    public boolean isVerbose() {
        return verbose;
    }
}
