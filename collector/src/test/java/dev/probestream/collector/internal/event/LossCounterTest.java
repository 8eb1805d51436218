package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

@KernelTest(since = "5.8")
class LossCounterTest {
    private static final int PROBE = 1;

    private final PrimitiveIterator.OfLong clockNs =
            LongStream.of(200, 230, 300, 330).iterator();

    private OptionalLong fullSinceNs = OptionalLong.empty();

    @Test
    void lossesBeginWhereTheRingWasFull() {
        try (BpfMap map = BpfMap.create(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)))) {
            LossCounter counter = new LossCounter(7, map);
            counter.begin(100);

            fullSinceNs = OptionalLong.of(180);
            assertThat(takeOne(counter, map, 3)).isEqualTo(loss(180, 230, 3));
            fullSinceNs = OptionalLong.of(190);
            assertThat(takeOne(counter, map, 5)).isEqualTo(loss(200, 330, 2));
        }
    }

    /** A hit that is lost while the map is read may be in either count. */
    @Test
    void timesOfLossesIncludeTheReadingOfTheirCounts() {
        try (BpfMap map = BpfMap.create(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(PROBE)))) {
            LossCounter counter = new LossCounter(7, map);
            counter.begin(100);

            assertThat(takeOne(counter, map, 3)).isEqualTo(loss(100, 230, 3));
            assertThat(takeOne(counter, map, 5)).isEqualTo(loss(200, 330, 2));
            assertThat(counter.total()).isEqualTo(5);
        }
    }

    private Loss takeOne(LossCounter counter, BpfMap map, long total) {
        ByteBuffer perCpu = ByteBuffer.allocate(PossibleCpus.ofThisMachine().count() * Long.BYTES)
                .order(ByteOrder.nativeOrder());
        perCpu.putLong(0, total);
        map.update(BpfMap.key(LossIndex.of(PROBE, LossReason.RING_FULL)), perCpu);
        return counter.take(clockNs::nextLong, countedNs -> fullSinceNs).get(0);
    }

    private static Loss loss(long fromNs, long toNs, long count) {
        int cpu = PossibleCpus.ofThisMachine().ids().get(0);
        return new Loss(7L, PROBE, cpu, fromNs, toNs, count, LossReason.RING_FULL);
    }
}
