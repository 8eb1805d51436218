package dev.probestream.cli.hist.records;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.ValueSums;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys and texts are numbered as a map of the JDK numbers them, up to the limit; sums are exact. */
class KeyTableTest {
    @Test
    void keysAreToldApartUpToTheLimit() {
        Random random = new Random(1);
        KeyTable table = new KeyTable(3, 500);
        Map<List<Long>, Integer> expected = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long[] key = {random.nextInt(9) - 4, random.nextLong() >>> 60, random.nextInt(20)};
            List<Long> same = List.of(key[0], key[1], key[2]);
            int number = table.number(key);
            if (expected.size() < 500) {
                expected.putIfAbsent(same, expected.size());
            }
            assertThat(number).isEqualTo(expected.getOrDefault(same, -1));
            if (number >= 0) {
                assertThat(table.part(number, 2)).isEqualTo(key[2]);
            }
        }
        assertThat(table.count()).isEqualTo(500);
    }

    @Test
    void textsAreToldApartUpToTheLimit() {
        Random random = new Random(2);
        TextTable table = new TextTable(300);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            String text = "é".repeat(random.nextInt(3)) + random.nextInt(200);
            byte[] bytes = ("--" + text).getBytes(StandardCharsets.UTF_8);
            if (!expected.contains(text) && expected.size() < 300) {
                expected.add(text);
            }
            int number = random.nextBoolean() ? table.number(text) : table.number(bytes, 2, bytes.length - 2);
            assertThat(number).isEqualTo(expected.indexOf(text));
            if (number >= 0) {
                assertThat(table.text(number)).isEqualTo(text);
            }
        }
    }

    @Test
    void sumsDoNotOverflow() {
        for (boolean isUnsigned : new boolean[] {false, true}) {
            Random random = new Random(3);
            KeyCounts counts = new KeyCounts(Bucketing.sums(Bucketing.Form.STATS), isUnsigned);
            BigInteger sum = BigInteger.ZERO;
            BigInteger min = BigInteger.TWO.pow(70);
            BigInteger max = min.negate();
            for (int i = 0; i < 10_000; i++) {
                long value = random.nextLong();
                BigInteger exact =
                        isUnsigned ? new BigInteger(Long.toUnsignedString(value)) : BigInteger.valueOf(value);
                counts.value(value, !isUnsigned);
                sum = sum.add(exact);
                min = min.min(exact);
                max = max.max(exact);
            }
            ValueSums sums = counts.takeSums();
            assertThat(sums.sum()).isEqualTo(sum);
            assertThat(sums.extremes().min()).isEqualTo(min);
            assertThat(sums.extremes().max()).isEqualTo(max);
            assertThat(sums.recent()).isEqualTo(sums.extremes());
            assertThat(counts.takeSums().recent().isAny()).isFalse();
        }
    }
}
