package dev.probestream.cli.live;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.util.Locale;
import java.util.function.Consumer;

/** Says what was lost since it was last asked, in one line. */
public final class LossWarning {
    private final Consumer<String> notices;
    private long count;
    private long sinceNs;
    private boolean isRingFull;

    /** Says it to {@code notices}. */
    public LossWarning(Consumer<String> notices) {
        this.notices = notices;
    }

    /** Adds a loss. */
    public void note(Loss loss) {
        sinceNs = count == 0 ? loss.getFromNs() : Math.min(sinceNs, loss.getFromNs());
        count += loss.getCount();
        isRingFull |= loss.getReason() == LossReason.RING_FULL;
    }

    /**
     * Says it, if there is anything to say.
     *
     * @param startNs CLOCK_MONOTONIC of the start
     */
    public void say(long startNs) {
        if (count == 0) {
            return;
        }
        String why = isRingFull
                ? "there are more than can be printed; use a filter, or send the lines to a file"
                : "the summary at the end says why";
        notices.accept(String.format(
                Locale.ROOT,
                "[probestream] %,d events lost since %.6f: %s",
                count,
                Math.max(0, sinceNs - startNs) / 1e9,
                why));
        count = 0;
        isRingFull = false;
    }
}
