package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Gap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording that is cut off at a flush, as by a kill, has the gaps up to there. */
@KernelTest(since = "5.8")
class GapsAtFlushTest {
    private static final int ENOUGH = 3;

    @TempDir
    static Path folder;

    @Test
    void aGapThatGoesOnIsKnownUpToTheFlush() throws Exception {
        StopSignal stop = new StopSignal();
        Flushes flushes = new Flushes(stop);
        try (CProgram.Running program = CProgram.compile(folder, "budget/timed").start()) {
            assertThat(program.ask("paced 0")).isEqualTo("1");
            CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                    .probes(ProbeSet.select(List.of("uprobe:tick (n=arg1:s64)")))
                    .budget(Budget.ofShare(0.005))
                    .limit(Duration.ofMinutes(2))
                    .build();
            try (Collector collector = Collector.open(request, stop)) {
                collector.run(flushes);
            }
        }
        assertThat(flushes.within)
                .hasSizeGreaterThanOrEqualTo(ENOUGH)
                .allMatch(flush -> flush.gapsToNs > flush.beforeNs);
    }

    /**
     * A flush.
     *
     * @param beforeNs when the one before it was
     * @param gapsToNs up to when gaps were published then
     */
    private record Flush(long beforeNs, long atNs, long gapsToNs) {}

    /** Keeps those flushes that lie in a gap, together with the one before; stops when there are enough. */
    private static final class Flushes implements EventPublisher {
        private final StopSignal stop;
        private final List<Flush> all = new ArrayList<>();
        private final List<Flush> within = new ArrayList<>();
        private long lastNs;
        private long gapFromNs;
        private long gapToNs;

        Flushes(StopSignal stop) {
            this.stop = stop;
        }

        @Override
        public boolean takesKeyframes() {
            return true;
        }

        @Override
        public void publish(SpecificRecord metadata) {
            if (metadata instanceof Gap gap) {
                if (gap.getFromNs() != gapToNs) {
                    gapFromNs = gap.getFromNs();
                }
                gapToNs = gap.getToNs();
                all.stream()
                        .filter(flush -> flush.beforeNs > gapFromNs && flush.atNs < gapToNs && !within.contains(flush))
                        .forEach(within::add);
                if (within.size() >= ENOUGH) {
                    stop.raise();
                }
            }
        }

        @Override
        public void flush() {
            long nowNs = ClockReading.monotonicNowNs();
            all.add(new Flush(lastNs, nowNs, gapToNs));
            lastNs = nowNs;
        }

        @Override
        public void publish(EventEncoder event) {
            // Only gaps count.
        }

        @Override
        public void complete() {
            // Nothing is stored.
        }

        @Override
        public long publishedBytes() {
            return 0;
        }

        @Override
        public void close() {
            // Nothing is stored.
        }
    }
}
