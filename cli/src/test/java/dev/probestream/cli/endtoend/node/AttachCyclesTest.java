package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.demo.SampleLoad;
import dev.probestream.cli.demo.SampleServer;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes come and go on a server that works: it must not notice, and nothing may stay. */
@Tag("deep")
@KernelTest(since = "5.8")
class AttachCyclesTest {
    /** Many where it counts; a developer waits for fewer. */
    private static final int CYCLES = Boolean.parseBoolean(System.getenv("CI")) ? 250 : 50;

    private static final Duration LOAD_SLICE = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    @Test
    void attachingAndDetachingFailsNoRequestAndLeavesNothingBehind() throws Exception {
        try (SampleServer server = SampleServer.start(NodeFixture.installedNode())) {
            cycle(server); // what is made once, such as the threads of the JVM, is there after it
            HeldKernelObjects before = HeldKernelObjects.held();
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Long> failed = CompletableFuture.supplyAsync(() -> failedRequests(server, done));
            for (int i = 0; i < CYCLES; i++) {
                cycle(server);
            }
            done.set(true);

            assertThat(failed.join()).isZero();
            assertThat(HeldKernelObjects.held()).isEqualTo(before);
            HeldKernelObjects.awaitGone("span_entry");
            assertThat(server.counts().requests()).isPositive();
        }
    }

    private void cycle(SampleServer server) throws Exception {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(server.pid())))
                .probes(ProbeSet.select(
                        List.of("span:uv__io_poll", "span:uv_fs_open (path=arg3:str)", "uprobe:uv__run_timers")))
                .limit(Duration.ofMillis(1))
                .ringSizeBytes(1 << 20)
                .commandLine(List.of("test"))
                .build();
        try (Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(folder.resolve("cycle.avro"))) {
            collector.run(publisher);
        }
    }

    private static long failedRequests(SampleServer server, AtomicBoolean done) {
        long failed = 0;
        try {
            while (!done.get()) {
                SampleLoad.Outcome outcome = new SampleLoad(server.address()).run(LOAD_SLICE);
                failed += outcome.failed();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return failed;
    }
}
