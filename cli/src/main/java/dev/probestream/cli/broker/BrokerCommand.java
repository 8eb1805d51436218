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

/** {@code broker}: a Kafka node of our own until a signal ends it. */
@Command(
        name = "broker",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Runs a Kafka broker on this machine.",
        customSynopsis = {"probestream broker [--data DIR] [--port PORT]"},
        description = {
            "",
            "One Kafka node, broker and controller in one, that only this machine can reach (127.0.0.1, no"
                    + " encryption, no passwords). Its topics are there again at the next start. For trying things out"
                    + " and for a single machine; a fleet sends to a cluster of its own.",
            "",
            "Prints 'broker ready at HOST:PORT, data in DIR' when it serves; Ctrl-C or SIGTERM ends it in order.",
            ""
        },
        footer = {
            "",
            "PROBESTREAM_LOG=warn (or info, debug) in the environment shows what Kafka logs.",
            "",
            "Exit codes: 0 ended by a signal; 1 failed; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream broker --data /var/lib/probestream/broker",
            "  sudo ./probestream collect --comm node --kafka localhost:9092"
        })
public final class BrokerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private BrokerOptions options;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            order = 15,
            defaultValue = "9092",
            converter = PortConverter.class,
            description = "Where to listen on 127.0.0.1; 0 takes any port that is free. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Override
    public Integer call() throws BrokerException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        CountDownLatch stopped = new CountDownLatch(1);
        try (Signals signals = new Signals()) {
            signals.onFirst(stopped::countDown);
            try (EmbeddedBroker broker = EmbeddedBroker.start(options.data(), port)) {
                out.println("broker ready at " + broker.bootstrapServers() + ", data in " + broker.dataFolder());
                out.flush();
                stopped.await();
            }
        }
        return ExitCode.DONE.value();
    }
}
