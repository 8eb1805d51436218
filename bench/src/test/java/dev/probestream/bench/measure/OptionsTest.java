package dev.probestream.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {
    private static final List<String> KNOWN = List.of("rounds", "servers");

    @Test
    void givenOptionsReplaceWhatIsOtherwiseUsed() {
        Options options = Options.parse(List.of("--rounds", "9", "--servers", "hello,files"), KNOWN);

        assertThat(options.number("rounds", 3)).isEqualTo(9);
        assertThat(options.list("servers", List.of())).containsExactly("hello", "files");
        assertThat(Options.parse(List.of(), KNOWN).number("rounds", 3)).isEqualTo(3);
    }

    @Test
    void whatCannotBeUsedIsNamed() {
        assertThatThrownBy(() -> Options.parse(List.of("--round", "9"), KNOWN))
                .isInstanceOf(Options.WrongUseException.class)
                .hasMessage("unknown option --round; the options of this benchmark are: --rounds --servers");
        assertThatThrownBy(() -> Options.parse(List.of("--rounds"), KNOWN)).hasMessage("option --rounds has no value");
        assertThatThrownBy(() -> Options.parse(List.of("--rounds", "0"), KNOWN).number("rounds", 3))
                .hasMessage("option --rounds: 0 is not a number above 0");
    }
}
