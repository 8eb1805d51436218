package dev.probestream.cli.terminal;

import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;

/** Why hits are missing and what to do about it, for a person. */
public final class LossText {
    /** Where what is recorded is printed: what fills the ring is the time it takes to write the lines. */
    private static final String SLOW_OUTPUT =
            "the lines could not be written as fast as the hits came; use a filter, or" + " send the lines to a file";

    private LossText() {}

    public static String of(Loss loss) {
        return "lost " + Quantity.count(loss.getCount(), "hit") + " of probe " + loss.getProbeId() + ": "
                + of(loss.getReason());
    }

    /** The same of lines on a terminal. */
    public static String ofLines(Loss loss) {
        return "lost " + Quantity.count(loss.getCount(), "hit") + " of probe " + loss.getProbeId() + ": "
                + (loss.getReason() == LossReason.RING_FULL ? SLOW_OUTPUT : of(loss.getReason()));
    }

    public static String of(LossReason reason) {
        return switch (reason) {
            case RING_FULL -> "the ring buffer was full; give it more room (--ring-size) or record fewer probes";
            case TOO_MANY_OPEN_SPANS -> "too many calls were open at once; record fewer functions";
            case RETURN_NOT_SEEN ->
                "the calls never returned (an exception, longjmp, or the end of their"
                        + " thread), or were nested more than 64 deep";
            case RECURSION -> "the kernel was running another probe on that cpu";
        };
    }
}
