package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.metrics.ScrapedMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process, real probes, a real broker. */
@KernelTest(since = "5.8")
@Timeout(120)
class CollectTest {
    private static final String ADD = "span:add (a=arg1:s64, b=arg2:s64, sum=ret:s64)";
    private static final Duration SECONDS_TO_END = Duration.ofSeconds(60);

    @TempDir
    static Path folder;

    private static CProgram calls = new CProgram(Path.of(""));
    private static EmbeddedBroker broker;

    @BeforeAll
    static void prepare() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
        broker = EmbeddedBroker.start(folder.resolve("broker"), 0);
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @Test
    void everyHitIsInTheTopicWhenItEnds() throws Exception {
        JsonNode summary;
        int pid;
        try (CProgram.Running program = calls.start();
                CommandRun run = collect(program, "--json", "--kafka", broker.bootstrapServers())) {
            pid = program.pid();
            run.awaitLineWith(" collecting capture ");
            for (int i = 0; i < 500; i++) {
                program.ask("add " + i + " 1");
            }

            assertThat(run.interrupt().end()).isZero();
            assertThat(run.said()).anyMatch(line -> line.endsWith(" ended: stopped by the user"));
            summary = new ObjectMapper().readTree(run.out());
        }

        String captureId = summary.get("captureId").asText();
        assertThat(summary.get("delivered").asLong()).isEqualTo(500);
        assertThat(summary.get("acknowledged").asLong()).isEqualTo(500);
        assertThat(summary.get("lost").asLong()).isZero();
        assertThat(PublishedTopic.eventKeys(broker).stream().filter(key -> key.equals(captureId + "/" + pid)))
                .hasSize(500);
    }

    @Test
    void aTerminationEndsItWithinSeconds() throws Exception {
        try (CProgram.Running program = calls.start();
                CommandRun run = collect(program, "--kafka", broker.bootstrapServers())) {
            run.awaitLineWith(" collecting capture ");
            program.ask("add 1 1");
            long startNs = System.nanoTime();

            assertThat(run.terminate().end()).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(SECONDS_TO_END);
            assertThat(run.said())
                    .last()
                    .asString()
                    .contains(" sent 1 event in ")
                    .contains(", all acknowledged, none lost: capture ");
        }
    }

    @Test
    void itTellsPrometheusHowItGoes() throws Exception {
        try (CProgram.Running program = calls.start();
                CommandRun run = collect(program, "--metrics-port", "0", "--kafka", broker.bootstrapServers())) {
            String address = run.awaitLineWith(" metrics at ").replaceAll(".* metrics at ", "");
            run.awaitLineWith(" collecting capture ");
            for (int i = 0; i < 3000; i++) {
                program.ask("add 1 1");
            }
            ScrapedMetrics scraped = ScrapedMetrics.of(address);
            while (scraped.value("probestream_collect_delivered_events_total") < 3000
                    || scraped.value("probestream_collect_acknowledged_events_total") < 3000) {
                scraped = ScrapedMetrics.of(address); // the test's time limit ends it
            }

            assertThat(scraped.value("probestream_collect_delivered_events_total"))
                    .isEqualTo(3000);
            assertThat(scraped.value("probestream_collect_acknowledged_bytes_total"))
                    .isGreaterThan(3000);
            assertThat(scraped.value("probestream_collect_publish_latency_seconds_count"))
                    .isBetween(1.0, 4.0);
            assertThat(scraped.value("probestream_collect_ring_size_bytes")).isEqualTo(16 << 20);
            assertThat(run.terminate().end()).isZero();
        }
    }

    @Test
    void itBringsItsOwnBroker() throws Exception {
        Path data = folder.resolve("embedded");
        CommandRun run = CommandRun.run(
                "collect",
                "--embedded",
                "--data",
                data.toString(),
                "--probes",
                "syscalls",
                "--json",
                "--",
                "/bin/true");

        assertThat(run.exitCode()).isZero();
        long delivered = new ObjectMapper().readTree(run.out()).get("delivered").asLong();
        try (EmbeddedBroker again = EmbeddedBroker.start(data, 0)) {
            assertThat(PublishedTopic.eventKeys(again))
                    .hasSize(Math.toIntExact(delivered))
                    .isNotEmpty();
        }
    }

    private static CommandRun collect(CProgram.Running program, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("collect", "-p", String.valueOf(program.pid()), "--probes", ADD, "--budget", "off"));
        arguments.addAll(List.of(more));
        return CommandRun.start(List.of(), arguments);
    }
}
