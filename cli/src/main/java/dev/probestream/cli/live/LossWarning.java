package dev.probestream.cli.live;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.util.Locale;
import java.util.function.Consumer;

/** Collects losses and prints one warning for those since the previous warning. */
public final class LossWarning {
    private final Consumer<String> warnings;
    private long count;
    private long sinceNs;
    private boolean isRingFull;

    /** Prints warnings to {@code warnings}. */
    public LossWarning(Consumer<String> warnings) {
        this.warnings = warnings;
    }

    /** Adds a loss. */
    public void add(Loss loss) {
        sinceNs = count == 0 ? loss.getFromNs() : Math.min(sinceNs, loss.getFromNs());
        count += loss.getCount();
        isRingFull |= loss.getReason() == LossReason.RING_FULL;
    }

    /**
     * Prints a warning if there were losses.
     *
     * @param startNs CLOCK_MONOTONIC of the start
     */
    public void print(long startNs) {
        if (count == 0) {
            return;
        }
        String why = isRingFull
                ? "hits arrive faster than lines can be printed; use a filter, or write the lines to a file"
                : "the summary at the end has the reasons";
        warnings.accept(String.format(
                Locale.ROOT,
                "[probestream] %,d events lost since %.6f: %s",
                count,
                Math.max(0, sinceNs - startNs) / 1e9,
                why));
        count = 0;
        isRingFull = false;
    }
}
