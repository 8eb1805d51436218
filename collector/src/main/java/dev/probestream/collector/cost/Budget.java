package dev.probestream.collector.cost;

import java.util.Locale;

/**
 * What a collection may cost its targets.
 *
 * @param share of the CPU time that the targets take for themselves, e.g. 0.03; 0 = no limit
 * @param isGuarded whether a set of probes is limited that alone costs the targets more than they need for themselves
 */
public record Budget(double share, boolean isGuarded) {
    /** No limit at all. */
    public static final Budget OFF = new Budget(0, false);

    /** No limit but the guard against probes that are hit far too often. */
    public static final Budget GUARD_ONLY = new Budget(0, true);

    /** The least share, a tenth of a percent: with less nothing could be watched. */
    public static final double MIN_SHARE = 0.001;

    /** Checks the share. */
    public Budget {
        if (share != 0 && !(share >= MIN_SHARE && share <= 1)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "a budget of %s of the CPU time: must be from 0.1 %% to 100 %%", share));
        }
    }

    /**
     * {@return a budget of this share, with the guard}
     *
     * @param share of the CPU time that the targets take for themselves, from 0.001 to 1
     */
    public static Budget ofShare(double share) {
        return new Budget(share, true);
    }

    /** {@return whether there is a limit} */
    public boolean isLimited() {
        return share > 0;
    }
}
