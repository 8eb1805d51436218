package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.cost.Budget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class BudgetOptionTest {
    @Command
    private static final class Recording {
        @Mixin
        private BudgetOption budget = new BudgetOption();
    }

    private static Budget parse(String... arguments) {
        Recording recording = new Recording();
        new CommandLine(recording).parseArgs(arguments);
        return recording.budget.budget(Budget.GUARD_ONLY);
    }

    @Test
    void aBudgetIsInPercentOrOff() {
        assertThat(parse("--budget", "3%")).isEqualTo(Budget.ofShare(0.03));
        assertThat(parse("--budget", "0.5")).isEqualTo(Budget.ofShare(0.005));
        assertThat(parse("--budget", "100%")).isEqualTo(Budget.ofShare(1));
        assertThat(parse("--budget", "off")).isEqualTo(Budget.OFF);
        assertThat(parse()).isEqualTo(Budget.GUARD_ONLY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "much", "0", "0.01%", "101%", "-3%", "NaN", "3%%"})
    void whatIsNoBudgetIsRefused(String text) {
        assertThatThrownBy(() -> parse("--budget=" + text))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("give percent from 0.1% to 100%, such as 3%, or off");
    }
}
