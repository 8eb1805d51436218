package dev.probestream.convert.request.context;

import org.jspecify.annotations.Nullable;

/**
 * What one source shows of the hit at hand.
 *
 * @param certainty what it shows
 * @param owner of the hit; null unless {@link Certainty#KNOWN}
 * @param source by what; null unless the owner is known
 * @param isOfWriter whether it shows who writes, also where another request has just returned the connection to the writer
 * @param <T> an owner
 */
public record Evidence<T>(
        Certainty certainty, @Nullable T owner, @Nullable OwnerSource source, boolean isOfWriter) {
    /** How much the evidence shows. */
    public enum Certainty {
        /** Nothing: the next source counts. */
        SILENT,
        /** The hit continues a promise, and nothing contradicts that its owner is the callback's. */
        CONSISTENT,
        /** The owner is not known, whatever the callback that runs is for. */
        UNKNOWN,
        /** The owner is not known; it may be the callback's. */
        UNSURE,
        /** The owner. */
        KNOWN
    }

    private static final Evidence<?> SILENT = new Evidence<>(Certainty.SILENT, null, null, false);
    private static final Evidence<?> CONSISTENT = new Evidence<>(Certainty.CONSISTENT, null, null, false);
    private static final Evidence<?> UNSURE = new Evidence<>(Certainty.UNSURE, null, null, false);
    private static final Evidence<?> UNKNOWN = new Evidence<>(Certainty.UNKNOWN, null, null, false);

    /** See {@link Certainty#SILENT}. */
    public static <T> Evidence<T> silent() {
        return cast(SILENT);
    }

    /** See {@link Certainty#CONSISTENT}. */
    public static <T> Evidence<T> consistent() {
        return cast(CONSISTENT);
    }

    /** See {@link Certainty#UNKNOWN}. */
    public static <T> Evidence<T> unknown() {
        return cast(UNKNOWN);
    }

    /** See {@link Certainty#UNSURE}. */
    public static <T> Evidence<T> unsure() {
        return cast(UNSURE);
    }

    /** See {@link Certainty#KNOWN}. */
    public static <T> Evidence<T> known(T owner, OwnerSource source) {
        return new Evidence<>(Certainty.KNOWN, owner, source, false);
    }

    /** The owner is known, and that of what is written, too. */
    public static <T> Evidence<T> ofWriter(T owner, OwnerSource source) {
        return new Evidence<>(Certainty.KNOWN, owner, source, true);
    }

    @SuppressWarnings("unchecked") // those without an owner fit any
    private static <T> Evidence<T> cast(Evidence<?> none) {
        return (Evidence<T>) none;
    }

    /** Whether the callback that runs may be for another request than the hit. */
    public boolean mayMix() {
        return certainty == Certainty.UNKNOWN || certainty == Certainty.KNOWN;
    }

    /** Whether it shows nothing. */
    public boolean isSilent() {
        return certainty == Certainty.SILENT;
    }
}
