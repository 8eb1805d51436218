package dev.probestream.cli.options;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option {@code --data} of every command that starts a broker. */
public final class BrokerOptions {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            order = 14,
            defaultValue = "probestream-broker",
            description = "Folder in which the broker stores its topics; created if it does not exist. Default:"
                    + " ${DEFAULT-VALUE} in the working folder.")
    private Path data;

    public Path data() {
        return data;
    }
}
