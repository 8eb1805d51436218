package dev.probestream.cli.options;

import dev.probestream.collector.cost.Budget;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option {@code --budget} of the commands that record probes: what they may cost the processes. */
public final class BudgetOption {
    @Option(
            names = "--budget",
            paramLabel = "PERCENT",
            order = 28,
            converter = BudgetConverter.class,
            description =
                    "What the probes may cost, in percent of the CPU time that the processes need for themselves; off: no limit."
                            + " What costs more is watched for a part of the time, and the recording contains when. Default: 5 for"
                            + " collect; else no limit, but a set is detached if a probe of it is hit more than 100,000 times per"
                            + " second, or costs more than a fifth of a CPU.")
    private @Nullable Budget budget;

    /** What was asked for, or else this. */
    public Budget budget(Budget otherwise) {
        return budget == null ? otherwise : budget;
    }

    private static Budget limited(double share) {
        if (share < Budget.MIN_SHARE) {
            throw new IllegalArgumentException("a budget of " + share);
        }
        return Budget.ofShare(share);
    }

    private static final class BudgetConverter implements ITypeConverter<Budget> {
        @Override
        public Budget convert(String text) {
            if (text.equals("off")) {
                return Budget.OFF;
            }
            try {
                String number = text.endsWith("%") ? text.substring(0, text.length() - 1) : text;
                return limited(new BigDecimal(number.strip()).movePointLeft(2).doubleValue());
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a budget: give percent from 0.1% to 100%, such as 3%, or off");
            }
        }
    }
}
