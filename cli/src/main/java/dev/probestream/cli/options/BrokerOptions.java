package dev.probestream.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where our own broker keeps its topics, as every command that starts one takes it. */
public final class BrokerOptions {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            order = 14,
            defaultValue = "probestream-broker",
            description = "Where the broker keeps its topics between runs; made if it is missing. Default:"
                    + " ${DEFAULT-VALUE} in the working folder.")
    private Path data;

    public Path data() {
        return data;
    }
}
