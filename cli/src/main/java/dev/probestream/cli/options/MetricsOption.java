package dev.probestream.cli.options;

import dev.probestream.cli.metrics.MetricsException;
import dev.probestream.cli.metrics.MetricsServer;
import dev.probestream.cli.terminal.ServiceLog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a service tells how it is, as every command that runs for days takes it. */
public final class MetricsOption {
    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            order = 31,
            converter = PortConverter.class,
            description =
                    "Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics; 0 takes any port that is free.")
    private @Nullable Integer port;

    /** Serves {@code registry}; null, which try-with-resources takes, when no port was given. */
    @Nullable
    public MetricsServer serve(PrometheusRegistry registry) throws MetricsException {
        return port == null ? null : MetricsServer.start(port, registry);
    }

    /** Says where metrics are, if they are. */
    public static void say(@Nullable MetricsServer server, ServiceLog log) {
        if (server != null) {
            log.say("metrics at " + server.address());
        }
    }
}
