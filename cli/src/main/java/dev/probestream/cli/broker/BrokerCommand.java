package dev.probestream.cli.broker;

import dev.probestream.broker.BrokerException;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.options.BrokerOptions;
import dev.probestream.cli.options.PortConverter;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Version;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code broker}: runs an embedded Kafka broker until a signal ends it. */
@Command(
        name = "broker",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = BrokerCommand.HEADER,
        customSynopsis = {"probestream broker [--data DIR] [--port PORT] [--no-auth]"},
        description = {
            "",
            "A single Kafka node, broker and controller, reachable from this machine only (127.0.0.1). Topics are kept"
                    + " across restarts. Intended for evaluation and for a single machine; for several machines, use a"
                    + " Kafka cluster.",
            "",
            "Only the user who starts it can use it (SASL/SCRAM-SHA-256 or PLAIN with a generated password)."
                    + " Probestream's commands of this user find the password by themselves, with and without sudo; other"
                    + " clients need DIR/client.properties, or DIR/librdkafka.properties if they are on librdkafka (kcat).",
            "",
            "Prints 'broker ready at HOST:PORT, data in DIR' when it is ready; Ctrl-C or SIGTERM shuts it down.",
            ""
        },
        footer = {
            "",
            "PROBESTREAM_LOG=warn (or info, debug) in the environment enables Kafka's log.",
            "",
            "Exit codes: 0 ended by a signal; 1 failure; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream broker --data /var/lib/probestream/broker",
            "  sudo ./probestream collect --comm node --kafka localhost:9092"
        })
public final class BrokerCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Runs a Kafka broker on this machine.";

    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions options;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            order = 16,
            defaultValue = "9092",
            converter = PortConverter.class,
            description = "Port to listen on at 127.0.0.1; 0 selects any free port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Override
    public Integer call() throws BrokerException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        CountDownLatch stopped = new CountDownLatch(1);
        try (Signals signals = new Signals()) {
            signals.onFirst(stopped::countDown);
            try (EmbeddedBroker broker = EmbeddedBroker.start(options.data(), port, options.access())) {
                out.println("broker ready at " + broker.bootstrapServers() + ", data in " + broker.dataFolder());
                out.println(BrokerOptions.accessOf(broker));
                out.flush();
                stopped.await();
            }
        }
        return ExitCode.DONE.value();
    }
}
