package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationConverterTest {
    private final DurationConverter converter = new DurationConverter();

    @ParameterizedTest
    @CsvSource({"250ns,250", "3us,3000", "500ms,500000000", "10s,10000000000", "1.5s,1500000000", "2m,120000000000"})
    void numberAndUnitAreADuration(String text, long nanoseconds) {
        assertThat(converter.convert(text)).isEqualTo(Duration.ofNanos(nanoseconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "s", "-1s", "1e3s", "10 s", "99999999999s", ""})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .hasMessage(
                        "invalid duration '" + text + "': expected a number and a unit, such as 500ms, 10s, 2m or 1h");
    }

    @Test
    void anHourIsThreeThousandSixHundredSeconds() {
        assertThat(converter.convert("1h")).isEqualTo(Duration.ofHours(1));
    }
}
