package dev.probestream.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class OptionsTest {
    private static final List<String> KNOWN = List.of("rounds", "servers");
    private static final List<String> FLAGS = List.of("busy");

    @Test
    void givenOptionsReplaceWhatIsOtherwiseUsed() {
        Options options = Options.parse(List.of("--rounds", "9", "--servers", "hello,files"), KNOWN, FLAGS);

        assertThat(options.number("rounds", 3)).isEqualTo(9);
        assertThat(options.list("servers", List.of())).containsExactly("hello", "files");
        assertThat(Options.parse(List.of(), KNOWN, FLAGS).number("rounds", 3)).isEqualTo(3);
    }

    @Test
    void flagHasNoValue() {
        Options options = Options.parse(List.of("--busy", "--rounds", "9"), KNOWN, FLAGS);

        assertThat(options.has("busy")).isTrue();
        assertThat(options.number("rounds", 3)).isEqualTo(9);
        assertThat(Options.parse(List.of("--rounds", "9"), KNOWN, FLAGS).has("busy"))
                .isFalse();
    }

    @Test
    void whatCannotBeUsedIsNamed() {
        assertThatThrownBy(() -> Options.parse(List.of("--round", "9"), KNOWN, FLAGS))
                .isInstanceOf(Options.WrongUseException.class)
                .hasMessage("unknown option --round; the options of this benchmark are: --rounds --servers --busy");
        assertThatThrownBy(() -> Options.parse(List.of("--rounds"), KNOWN, FLAGS))
                .hasMessage("option --rounds has no value");
        assertThatThrownBy(() ->
                        Options.parse(List.of("--rounds", "0"), KNOWN, FLAGS).number("rounds", 3))
                .hasMessage("option --rounds: 0 is not a number above 0");
    }
}
