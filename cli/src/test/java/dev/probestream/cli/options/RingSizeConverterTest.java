package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RingSizeConverterTest {
    private final RingSizeConverter converter = new RingSizeConverter();

    @ParameterizedTest
    @CsvSource({"4096,4096", "4K,4096", "16M,16777216", "16MB,16777216", "1G,1073741824"})
    void powersOfTwoFromAPageOnAreSizes(String text, int sizeBytes) {
        assertThat(converter.convert(text)).isEqualTo(sizeBytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1K", "3M", "2G", "999999999G"})
    void otherNumbersAreNoSizesOfARingBuffer(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .hasMessage("invalid ring buffer size '" + text + "': expected a power of two from 4K to 1G");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "M", "16X", "-4K", "1.5M", "16m"})
    void otherTextIsNoSize(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .hasMessage("invalid size '" + text
                        + "': expected a number of bytes, or a number with K, M, G or T such as 16M");
    }
}
