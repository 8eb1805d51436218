package dev.probestream.cli.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    @Test
    void aSinkTellsWhatItDid() throws Exception {
        SinkMetrics metrics = new SinkMetrics(registry);
        metrics.progress(1000, 70_000, 2, Map.of(0, 10L, 3, 20L));
        metrics.progress(1500, 100_000, 1, Map.of(3, 5L));
        metrics.finished(900, 2, 4096, 500_000_000);
        metrics.unreadable("events");
        metrics.waiting("disk", true);

        ScrapedMetrics scraped = scrape();
        assertThat(scraped.value("probestream_sink_events_total")).isEqualTo(1500);
        assertThat(scraped.value("probestream_sink_bytes_total")).isEqualTo(100_000);
        assertThat(scraped.value("probestream_sink_open_slices")).isEqualTo(1);
        assertThat(scraped.value("probestream_sink_lag_offsets{partition=\"3\"}"))
                .isEqualTo(5);
        assertThat(scraped.samples()).doesNotContainKey("probestream_sink_lag_offsets{partition=\"0\"}");
        assertThat(scraped.value("probestream_sink_finished_files_total")).isEqualTo(2);
        assertThat(scraped.value("probestream_sink_finished_events_total")).isEqualTo(900);
        assertThat(scraped.value("probestream_sink_finishing_seconds_total")).isEqualTo(0.5);
        assertThat(scraped.value("probestream_sink_unreadable_messages_total{topic=\"events\"}"))
                .isEqualTo(1);
        assertThat(scraped.value("probestream_sink_waiting{for=\"disk\"}")).isEqualTo(1);
    }

    @Test
    void aCollectorTellsWhatItLost() throws Exception {
        CollectMetrics metrics = new CollectMetrics(registry);
        metrics.lost("poll", "RING_FULL", 10);
        metrics.lost("poll", "RING_FULL", 25);
        metrics.latency(3_000_000);

        ScrapedMetrics scraped = scrape();
        assertThat(scraped.value("probestream_collect_lost_events_total{probe=\"poll\",reason=\"RING_FULL\"}"))
                .isEqualTo(25);
        assertThat(scraped.types())
                .containsEntry("probestream_collect_publish_latency_seconds", "histogram")
                .containsEntry("probestream_collect_lost_events_total", "counter");
        assertThat(scraped.value("probestream_collect_publish_latency_seconds_bucket{le=\"0.0025\"}"))
                .isZero();
        assertThat(scraped.value("probestream_collect_publish_latency_seconds_bucket{le=\"0.005\"}"))
                .isEqualTo(1);
    }

    @Test
    void requestUnderAnotherNameIsRefused() throws Exception {
        try (MetricsServer server = MetricsServer.start(0, registry)) {
            URI page = URI.create(server.address());
            for (String host : List.of("127.0.0.1", "localhost", "[::1]:1234", "localhost:" + page.getPort())) {
                assertThat(status(page, host)).as(host).isEqualTo(200);
            }
            for (String host :
                    List.of("evil.example", "evil.example:" + page.getPort(), "127.0.0.1.evil.example", "")) {
                assertThat(status(page, host)).as(host).isEqualTo(421);
            }
        }
    }

    /** The status of a plain request, because HTTP clients do not let set the header Host. */
    private static int status(URI page, String host) throws IOException {
        try (Socket socket = new Socket(page.getHost(), page.getPort())) {
            socket.getOutputStream()
                    .write(("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ")[1]);
        }
    }

    @Test
    void theProcessTellsHowItIs() throws Exception {
        ScrapedMetrics scraped = scrape();

        assertThat(scraped.value("jvm_memory_used_bytes")).isPositive();
        assertThat(scraped.value("process_cpu_seconds_total")).isPositive();
        assertThat(scraped.value("process_start_time_seconds")).isGreaterThan(1.7e9);
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> MetricsServer.start(taken.getLocalPort(), registry))
                    .isInstanceOf(MetricsException.class)
                    .hasMessage("cannot serve metrics on 127.0.0.1:" + taken.getLocalPort()
                            + ": Address already in use; use another port with --metrics-port");
        }
    }

    private ScrapedMetrics scrape() throws Exception {
        try (MetricsServer server = MetricsServer.start(0, registry)) {
            return ScrapedMetrics.of(server.address());
        }
    }
}
