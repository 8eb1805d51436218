package dev.probestream.cli.hist.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.Collector;
import dev.probestream.collector.StopSignal;
import dev.probestream.collector.TargetSelection;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ProbeSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With room for few keys, the hits of all others are counted as such. */
@KernelTest(since = "5.8")
class RecordCountsTest {
    @TempDir
    static Path folder;

    @Test
    void hitsOfMoreKeysThanThereIsRoomForAreCountedAsBeyond() throws Exception {
        CProgram paths = CProgram.compile(folder, "bpf/paths", "-fno-omit-frame-pointer");
        List<HistogramSpec> specs = List.of(
                spec("uprobe:sink(a=arg1:s64)", "a"),
                spec("uprobe:leaf(a=arg1:s64)", "ustack"),
                spec("span:both(ret:s64)", "ret"));
        RecordCounts counts = new RecordCounts(specs, 3, () -> {});
        StopSignal stop = new StopSignal();
        CountDownLatch attached = new CountDownLatch(1);
        try (CProgram.Running program = paths.start();
                Collector collector = Collector.open(
                        CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                                .probes(RecordCounts.probes(specs))
                                .build(),
                        stop)) {
            CompletableFuture<?> run =
                    CompletableFuture.supplyAsync(() -> collector.run(counts, progress -> attached.countDown()));
            assertThat(attached.await(60, TimeUnit.SECONDS)).isTrue();
            program.ask("walk 10");
            program.ask("spread 10");
            stop.raise();
            run.get(60, TimeUnit.SECONDS);
        }

        List<HistogramTable> tables = counts.snapshot(0).tables();
        // Of a: 0 to 9, four times each and once more; of paths: two of them or so at walk, ten at spread.
        assertThat(tables.get(0).rows()).hasSize(3).allMatch(row -> row.total() == 5);
        assertThat(tables.get(0).beyondKeys()).isEqualTo(35);
        assertThat(tables.get(1).rows()).hasSize(3);
        assertThat(tables.get(1).total() + tables.get(1).beyondKeys()).isEqualTo(50);
        // Returned are 2 * n + 30.
        assertThat(tables.get(2).rows())
                .extracting(row -> row.key().get(0).number())
                .containsExactlyInAnyOrder(30L, 32L, 34L);
        assertThat(tables.get(2).total() + tables.get(2).lost()).isEqualTo(10);
    }

    private static HistogramSpec spec(String probe, String key) {
        return HistogramSpec.of(ProbeSpec.parse(probe), Optional.empty(), List.of(key), Optional.of(Bucketing.COUNT));
    }
}
