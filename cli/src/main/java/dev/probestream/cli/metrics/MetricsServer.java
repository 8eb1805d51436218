package dev.probestream.cli.metrics;

import dev.probestream.cli.loopback.LoopbackHost;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;

/**
 * The page that Prometheus scrapes. It is reachable from this machine only, and only under a name of loopback; use a proxy for other
 * machines.
 */
public final class MetricsServer implements AutoCloseable {
    private final HTTPServer server;

    private MetricsServer(HTTPServer server) {
        this.server = server;
    }

    /**
     * Serves {@code registry} and the metrics of this process until closed.
     *
     * @param port on 127.0.0.1; 0 for any that is free
     * @throws MetricsException when the port is taken
     */
    public static MetricsServer start(int port, PrometheusRegistry registry) throws MetricsException {
        ProcessMetrics.register(registry);
        try {
            return new MetricsServer(HTTPServer.builder()
                    .inetAddress(InetAddress.getLoopbackAddress())
                    .port(port)
                    .registry(registry)
                    .authenticator(LoopbackHost.only())
                    .buildAndStart());
        } catch (IOException e) {
            throw new MetricsException(
                    "cannot serve metrics on 127.0.0.1:" + port + ": " + e.getMessage()
                            + "; use another port with --metrics-port",
                    e);
        }
    }

    /** Of the page: {@code http://127.0.0.1:9400/metrics}. */
    public String address() {
        return "http://127.0.0.1:" + server.getPort() + "/metrics";
    }

    @Override
    public void close() {
        server.close();
    }
}
