package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionProgress;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Probes of Node.js that are attached when TLS is seen. They sit in a function that plain connections call, too. The program
 * goes on until a file is there, which the recording makes when it has seen enough.
 */
@KernelTest(since = "6.6")
class AwaitedProbesTest {
    private static final String TLS_READ = "uprobe:node::crypto::TLSWrap::OnStreamRead";

    /** Arguments: whether to use TLS, the file that ends it, and the file to note the time of the first TLS request in. */
    private static final String CONNECTIONS = """
            const net = require('net'), tls = require('tls'), fs = require('fs');
            const [mode, end, begun] = process.argv.slice(2);
            const psk = {psk: Buffer.alloc(32, 1), identity: 'test'};
            const options = {ciphers: 'PSK', maxVersion: 'TLSv1.2', pskCallback: () => psk.psk, pskIdentityHint: 'test'};
            const client = {...options, pskCallback: () => psk, checkServerIdentity: () => undefined};
            const answer = socket => socket.end('hello');
            const plainServer = net.createServer(answer).listen(0, '127.0.0.1');
            const tlsServer = tls.createServer(options, answer).listen(0, '127.0.0.1');
            const ask = (connect, then) => connect().resume().on('close', then);
            const plain = then => ask(() => net.connect(plainServer.address().port, '127.0.0.1'), then);
            const secure = then => ask(() => tls.connect({...client, port: tlsServer.address().port, host: '127.0.0.1'}), then);
            const repeat = one => one(() => fs.existsSync(end) ? process.exit(0) : repeat(one));
            const begin = () => plain(() => plain(() => {
              fs.writeFileSync(begun, String(process.hrtime.bigint()));
              repeat(mode.startsWith('tls') ? secure : plain);
            }));
            tlsServer.on('listening', () => {
              console.log('ready');
              if (mode.endsWith('when-told')) process.stdin.once('data', begin);
              else begin();
            });
            """;

    @TempDir
    private Path folder;

    private Path script;
    private Path end;
    private Path begun;

    private record Ended(Recorded recorded, List<String> warnings, CollectionOutcome outcome) {}

    @BeforeEach
    void write() throws Exception {
        script = Files.writeString(folder.resolve("connections.js"), CONNECTIONS);
        end = folder.resolve("end");
        begun = folder.resolve("begun");
    }

    @Test
    void probesOfACommandAreAttachedAtItsFirstTlsByteAndTheAnnouncingOneIsDetached() throws Exception {
        Ended ended = record(TargetSelection.ofCommand(command("tls")), new UntilDetached());

        theAwaitedProbeWasHitOnlyAfterTls(ended);
    }

    @Test
    void probesOfARunningProcessAreAttachedAtItsFirstTlsByteAndTheAnnouncingOneIsDetached() throws Exception {
        Ended ended = recordRunning("tls-when-told", new UntilDetached());

        theAwaitedProbeWasHitOnlyAfterTls(ended);
    }

    @Test
    void withoutTlsTheProbesAreNeverAttachedAndNothingIsSaidOfThem() throws Exception {
        Ended ended = recordRunning("plain-when-told", new UntilCounted("tcp"));

        assertThat(ended.recorded.of("awaited")).isEmpty();
        assertThat(ended.recorded.of("tcp")).isNotEmpty();
        assertThat(hits(ended.outcome.cost(), "awaited")).isZero();
        assertThat(ended.outcome.partlyHit()).isEmpty();
        assertThat(ended.warnings).isEmpty();
    }

    @Test
    void withoutAProbeThatAnnouncesItNothingIsAwaited() throws Exception {
        Ended ended = record(
                TargetSelection.ofCommand(command("plain")),
                new UntilCounted("awaited"),
                inSet("uprobe:uv_read_start", "awaited", new Attaching("TLS", "")));

        assertThat(ended.recorded.of("awaited")).isNotEmpty();
        assertThat(ended.warnings).isEmpty();
    }

    private void theAwaitedProbeWasHitOnlyAfterTls(Ended ended) throws Exception {
        long tlsNs = Long.parseLong(Files.readString(begun));
        List<Recorded.Kept> hits = ended.recorded.of("awaited");

        assertThat(hits).isNotEmpty().allMatch(event -> event.timestampNs() > tlsNs);
        assertThat(hits(ended.outcome.cost(), "awaited")).isEqualTo(hits.size());
        assertThat(ended.recorded.of("tcp"))
                .as("plain connections before")
                .anyMatch(event -> event.timestampNs() < tlsNs);
        assertThat(ended.recorded.of("tls")).as("no events").isEmpty();
        assertThat(ended.recorded.losses).isEmpty();
        assertThat(ended.outcome.partlyHit()).isEmpty();
        assertThat(ended.warnings)
                .singleElement()
                .asString()
                .matches(
                        "TLS is used since \\d+\\.\\d s: 1 probe of test was attached; what came before is not seen by it");
        assertThat(ended.recorded.ends.get(0).getReason()).contains(ended.warnings.get(0));
    }

    private List<String> command(String mode) throws Exception {
        return List.of(
                NodeExecutables.installed().toString(), script.toString(), mode, end.toString(), begun.toString());
    }

    private Ended recordRunning(String mode, CollectionProgress.Listener until) throws Exception {
        Process process = new ProcessBuilder(command(mode)).start();
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("ready");
            boolean[] isTold = {false};
            return record(TargetSelection.ofPids(List.of((int) process.pid())), progress -> {
                if (!isTold[0]) {
                    isTold[0] = true;
                    tell(process);
                }
                until.progress(progress);
            });
        } finally {
            process.destroyForcibly();
        }
    }

    private static void tell(Process process) {
        try {
            process.outputWriter().append("go\n").flush();
        } catch (IOException e) {
            throw new AssertionError("the program cannot be told to begin", e);
        }
    }

    private Ended record(TargetSelection targets, CollectionProgress.Listener until) throws Exception {
        return record(
                targets,
                until,
                inSet(TLS_READ, "tls", new Attaching("", "TLS")),
                inSet("uprobe:uv_read_start", "awaited", new Attaching("TLS", "")),
                inSet("uprobe:uv_accept", "tcp", Attaching.AT_START));
    }

    private Ended record(TargetSelection targets, CollectionProgress.Listener until, ProbeSpec... specs)
            throws Exception {
        CollectionRequest request = CollectionRequest.of(targets)
                .probes(List.of(specs))
                .limit(Duration.ofMinutes(2))
                .commandLine(List.of("test"))
                .build();
        Path file = folder.resolve("recording.avro");
        try (Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(file)) {
            CollectionOutcome outcome = collector.run(publisher, until);
            return new Ended(Recorded.read(file), collector.warnings(), outcome);
        }
    }

    private static ProbeSpec inSet(String text, String name, Attaching attaching) throws Exception {
        ProbeSpec spec = SpecParser.parse(text);
        return spec.ofPreset(
                spec.arguments(),
                spec.result(),
                spec.filter(),
                new PresetTraits(
                        name,
                        "test",
                        true,
                        "",
                        FileCondition.NONE,
                        ProbeCases.NONE,
                        !attaching.announces().isEmpty(),
                        attaching));
    }

    private static long hits(CostReading cost, String probe) {
        return cost.probes().stream()
                .filter(each -> each.name().equals(probe))
                .mapToLong(CostReading.OfProbe::hits)
                .sum();
    }

    private void end() {
        try {
            Files.createFile(end);
        } catch (IOException e) {
            throw new AssertionError("the program cannot be ended", e);
        }
    }

    /** Ends the program when a probe has been hit. */
    private final class UntilCounted implements CollectionProgress.Listener {
        private final String probe;

        UntilCounted(String probe) {
            this.probe = probe;
        }

        @Override
        public void progress(CollectionProgress progress) {
            if (hits(progress.cost(), probe) > 0 && !Files.exists(end)) {
                end();
            }
        }
    }

    /** Ends the program when the announcing probe has been hit no more while the awaited one was. */
    private final class UntilDetached implements CollectionProgress.Listener {
        private CostReading before = CostReading.NONE;

        @Override
        public void progress(CollectionProgress progress) {
            CostReading now = progress.cost();
            if (now.toNs() == before.toNs() || Files.exists(end)) {
                return;
            }
            boolean isDetached = hits(before, "awaited") > 0
                    && hits(now, "awaited") > hits(before, "awaited")
                    && hits(now, "tls") == hits(before, "tls");
            before = now;
            if (isDetached) {
                end();
            }
        }
    }
}
