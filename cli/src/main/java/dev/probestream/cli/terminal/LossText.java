package dev.probestream.cli.terminal;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;

/** Describes lost events: the reason and what to do. */
public final class LossText {
    /** The reason for a full ring buffer in live commands: writing the lines takes too long. */
    private static final String SLOW_OUTPUT =
            "lines could not be written as fast as hits arrived; use a filter, or write the lines to a file";

    private LossText() {}

    public static String of(Loss loss) {
        return "lost " + Quantity.count(loss.getCount(), "hit") + " of probe " + loss.getProbeId() + ": "
                + of(loss.getReason());
    }

    /** The same for live commands. */
    public static String ofLines(Loss loss) {
        return "lost " + Quantity.count(loss.getCount(), "hit") + " of probe " + loss.getProbeId() + ": "
                + (loss.getReason() == LossReason.RING_FULL ? SLOW_OUTPUT : of(loss.getReason()));
    }

    public static String of(LossReason reason) {
        return switch (reason) {
            case RING_FULL -> "the ring buffer was full; use a larger one (--ring-size) or fewer probes";
            case TOO_MANY_OPEN_SPANS -> "too many calls were open at once; record fewer functions";
            case RETURN_NOT_SEEN ->
                "the calls never returned (an exception, longjmp, or the end of their"
                        + " thread), or were nested more than 64 deep";
            case RECURSION -> "the kernel was running another probe on that cpu";
        };
    }
}
