package dev.probestream.collector.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeNamesTest {
    private static final long SEED = 20_261_121;

    private final RangeNames names = new RangeNames();

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
            RangeNames ranges = new RangeNames();
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
}
