package dev.probestream.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.endtoend.fixture.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The topics of {@code help}, and the words by which it is asked. */
class HelpTopicTest {
    private static final int COLUMNS = 80;

    @ParameterizedTest
    @EnumSource
    void fitsATerminal(HelpTopic topic) {
        assertThat(topic.text().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(COLUMNS));
    }

    @Test
    void describesEverySetWithItsName() {
        assertThat(HelpTopic.SETS.text()).contains("\n  node-http     HTTP ", "\n  all           The default.");
    }

    @ParameterizedTest
    @EnumSource
    void isPrintedByItsName(HelpTopic topic) throws Exception {
        assertThat(printed("help", topic.spelling())).isEqualTo(topic.text());
    }

    @ParameterizedTest
    @CsvSource({"help, --help", "help record, record --help", "help help, help --help"})
    void asksForTheSameManual(String words, String same) throws Exception {
        assertThat(printed(words.split(" "))).isEqualTo(printed(same.split(" ")));
    }

    private static String printed(String... words) throws Exception {
        CommandRun run = CommandRun.run(words);
        assertThat(run.exitCode()).isZero();
        return run.out();
    }
}
