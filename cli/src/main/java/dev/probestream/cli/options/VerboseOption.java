package dev.probestream.cli.options;

import picocli.CommandLine.Option;

/** The option {@code -v} of commands that print a summary at their end. */
public final class VerboseOption {
    @Option(
            names = {"-v", "--verbose"},
            order = 31,
            description =
                    "Print at the end what each probe cost the processes, and which probes of a set were not hit.")
    private boolean verbose;

    public boolean isVerbose() {
        return verbose;
    }
}
