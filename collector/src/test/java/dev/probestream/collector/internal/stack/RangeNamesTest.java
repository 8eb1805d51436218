package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeNamesTest {
    private static final long SEED = 20_261_121;

    private final RangeNames names = new RangeNames(1000, 1 << 20);

    @Test
    void laterRangeHidesWhatItCoversOfEarlierOnes() {
        names.put(100, 200, "old");
        names.put(150, 160, "new");

        assertThat(names.nameOf(149)).isEqualTo("old");
        assertThat(names.nameOf(150)).isEqualTo("new");
        assertThat(names.nameOf(159)).isEqualTo("new");
        assertThat(names.nameOf(160)).isEqualTo("old");
        assertThat(names.nameOf(200)).isEmpty();
        assertThat(names.nameOf(99)).isEmpty();
    }

    @Test
    void anyRangesGiveWhatWritingThemOneOverTheOtherGives() {
        Random random = new Random(SEED);
        for (int round = 0; round < 500; round++) {
            RangeNames ranges = new RangeNames(1000, 1 << 20);
            String[] memory = new String[200];
            Arrays.fill(memory, "");
            for (int i = 0; i < 40; i++) {
                int start = random.nextInt(memory.length - 1);
                int end = start + 1 + random.nextInt(memory.length - start);
                end = Math.min(end, memory.length);
                ranges.put(start, end, "r" + i);
                Arrays.fill(memory, start, end, "r" + i);
            }
            for (int address = 0; address < memory.length; address++) {
                assertThat(ranges.nameOf(address))
                        .as("round %d address %d", round, address)
                        .isEqualTo(memory[address]);
            }
        }
    }

    @Test
    void olderHalfIsForgottenWhenThereAreTooMany() {
        for (int i = 0; i <= 1000; i++) {
            names.put(10_000 - 10 * i, 10_005 - 10 * i, "n" + i);
        }

        assertThat(names.hasEvicted()).isTrue();
        assertThat(names.count()).isEqualTo(501);
        assertThat(names.nameOf(0)).isEqualTo("n1000");
        assertThat(names.nameOf(5000)).isEqualTo("n500");
        assertThat(names.nameOf(5010)).isEmpty();
    }

    @Test
    void olderHalfIsForgottenWhenTheNamesAreTooLong() {
        RangeNames ranges = new RangeNames(1000, 100);
        for (int i = 0; i < 11; i++) {
            ranges.put(10L * i, 10L * i + 5, "0123456789");
        }

        assertThat(ranges.count()).isEqualTo(6);
        assertThat(ranges.nameOf(0)).isEmpty();
        assertThat(ranges.nameOf(100)).isEqualTo("0123456789");
    }
}
