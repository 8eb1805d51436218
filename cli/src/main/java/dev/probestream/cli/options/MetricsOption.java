package dev.probestream.cli.options;

import dev.probestream.cli.metrics.MetricsException;
import dev.probestream.cli.metrics.MetricsServer;
import dev.probestream.cli.terminal.ServiceLog;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --metrics-port} of the commands that run as services. */
public final class MetricsOption {
    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            order = 31,
            converter = PortConverter.class,
            description = "Serve Prometheus metrics at http://127.0.0.1:PORT/metrics; 0 selects any free port.")
    private @Nullable Integer port;

    /** Serves {@code registry}; null if no port was given (try-with-resources accepts null). */
    @Nullable
    public MetricsServer serve(PrometheusRegistry registry) throws MetricsException {
        return port == null ? null : MetricsServer.start(port, registry);
    }

    /** Logs the address of the metrics, if they are served. */
    public static void logAddress(@Nullable MetricsServer server, ServiceLog log) {
        if (server != null) {
            log.log("metrics at " + server.address());
        }
    }
}
