package dev.probestream.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @Test
    void countsAreGroupedByThousands() {
        assertThat(Quantity.count(1234567)).isEqualTo("1,234,567");
    }

    @Test
    void oneEventIsSingular() {
        assertThat(Quantity.count(1, "event")).isEqualTo("1 event");
        assertThat(Quantity.count(0, "event")).isEqualTo("0 events");
    }

    @ParameterizedTest
    @CsvSource({"0,0 B", "999,999 B", "1000,1.0 KB", "14200000,14.2 MB", "5000000000000000,5000.0 TB"})
    void bytesHaveAUnitThatFits(long bytes, String text) {
        assertThat(Quantity.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"950,950 ns", "1200,1.2 us", "34500000,34.5 ms", "2100000000,2.1 s"})
    void durationsHaveAUnitThatFits(long ns, String text) {
        assertThat(Quantity.duration(ns)).isEqualTo(text);
    }

    @Test
    void longTimesAreSeconds() {
        assertThat(Quantity.seconds(Duration.ofMillis(90_040))).isEqualTo("90.0 s");
    }
}
