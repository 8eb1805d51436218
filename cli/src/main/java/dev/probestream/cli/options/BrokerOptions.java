package dev.probestream.cli.options;

import dev.probestream.broker.BrokerAccess;
import dev.probestream.broker.EmbeddedBroker;
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

    @Option(
            names = "--no-auth",
            order = 15,
            description = "Let every user of this machine use the broker without a password: they can read, change and"
                    + " delete all events. Without it, only commands of the broker's user, and clients with"
                    + " DIR/client.properties, are served.")
    private boolean open;

    /** Who may use the broker. */
    public BrokerAccess access() {
        return open ? BrokerAccess.EVERYONE : BrokerAccess.OWNER;
    }

    /** Who may use a running broker, in a sentence for its user. */
    public static String accessOf(EmbeddedBroker broker) {
        if (broker.clientPropertiesFile().isEmpty()) {
            return "open to every user of this machine (--no-auth): they can read, change and delete all events";
        }
        return "for its user only: "
                + (broker.isRegistered()
                        ? "Probestream's commands find the password, other clients need "
                        : "clients need --kafka-config with ")
                + broker.clientPropertiesFile().get();
    }

    public Path data() {
        return data;
    }
}
