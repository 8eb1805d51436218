package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All probes of a capture count from one moment to another, although they are attached and detached one after the other.
 * The target calls two functions in turn, all the time: their hits alternate only if both probes have the same window.
 */
@KernelTest(since = "5.8")
class CaptureWindowTest {
    private static final int RING_SIZE_BYTES = 64 << 20;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void hitsOfAllProbesBeginAndEndTogether() throws Exception {
        try (CProgram.Running program = calls.start()) {
            assertThat(program.ask("pairs")).isEqualTo("1");
            Recorded recorded =
                    record(program.pid(), "uprobe:tick (n=arg1:s64)", "syscalls:all", "span:other (ret:s64)");

            assertThat(recorded.lost()).isZero();
            List<Recorded.Kept> hits = new ArrayList<>(recorded.of("tick"));
            hits.addAll(recorded.of("other"));
            hits.sort((a, b) -> Long.compare(a.timestampNs(), b.timestampNs()));
            assertThat(hits).hasSizeGreaterThan(1000);
            for (int i = 1; i < hits.size(); i++) {
                assertThat(hits.get(i).probe())
                        .as("hit %d of %d", i, hits.size())
                        .isNotEqualTo(hits.get(i - 1).probe());
            }
            long beginNs = recorded.captures.get(0).getMonotonicNs();
            long endNs = recorded.ends.get(0).getMonotonicNs();
            assertThat(recorded.events)
                    .allSatisfy(event -> assertThat(event.timestampNs()).isGreaterThanOrEqualTo(beginNs))
                    .allSatisfy(event -> assertThat(event.endNs()).isLessThanOrEqualTo(endNs))
                    .filteredOn(event -> event.kind() == EventKind.OPEN_SPAN)
                    .hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void countsOfAllProbesBeginAndEndTogether() throws Exception {
        try (CProgram.Running program = calls.start()) {
            assertThat(program.ask("pairs")).isEqualTo("1");
            HistogramRequest request = new HistogramRequest(
                    TargetSelection.ofPids(List.of(program.pid())), List.of(count("uprobe:tick"), count("span:other")));
            try (Histograms histograms = Histograms.open(request)) {
                histograms.attach();
                awaitHits(histograms);
                histograms.detach();
                List<HistogramTable> tables = histograms.snapshot().tables();

                HistogramTable others = tables.get(1);
                assertThat(others.total() + others.openCalls() - tables.get(0).total())
                        .isBetween(-1L, 1L);
            }
        }
    }

    private static void awaitHits(Histograms histograms) {
        HistogramSnapshot snapshot = histograms.snapshot();
        while (snapshot.tables().stream().anyMatch(table -> table.total() < 1000)) {
            Thread.onSpinWait();
            snapshot = histograms.snapshot();
        }
    }

    private static HistogramSpec count(String spec) throws Exception {
        return HistogramSpec.of(SpecParser.parse(spec), Optional.empty(), List.of(), Optional.of(Bucketing.COUNT));
    }

    /** Records until there are some thousand hits. */
    private static Recorded record(int pid, String... specs) throws Exception {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(pid)))
                .probes(ProbeSet.select(List.of(specs)))
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .build();
        Path file = folder.resolve("window.avro");
        StopSignal stop = new StopSignal();
        try (Collector collector = Collector.open(request, stop);
                FilePublisher publisher = FilePublisher.create(file)) {
            collector.run(publisher, progress -> {
                if (progress.deliveredEvents() > 5000) {
                    stop.raise();
                }
            });
        }
        return Recorded.read(file);
    }
}
