package dev.probestream.collector.probe;

import java.util.List;
import java.util.Optional;

/**
 * What a preset adds to a spec that the spec's own grammar cannot express.
 *
 * @param name the probe's name in the recording; "" = the function's
 * @param category the preset's name, or {@link #USER_CATEGORY}
 * @param optional whether a target that lacks the function is no error
 * @param role what a hit means to the assembly of requests, as {@code Probe.role} of the Avro schema; "" = nothing
 * @param files the files that the probe is for; in others it is left out without a warning
 * @param cases the probes that its hits are in the recording
 * @param wakes whether a hit is read at once, because the process may end next; it costs the target a wake-up
 * @param attaching when it is attached
 */
public record PresetTraits(
        String name,
        String category,
        boolean optional,
        String role,
        FileCondition files,
        ProbeCases cases,
        boolean wakes,
        Attaching attaching) {
    /** {@link #category()} of a spec that the user wrote. */
    public static final String USER_CATEGORY = "user";

    /** {@link #category()} of samples of the cpu, however they are asked for: readers of a recording find them by it. */
    public static final String PROFILE_CATEGORY = "profile";

    /** Of a spec that the user wrote. */
    public static final PresetTraits NONE = new PresetTraits("", USER_CATEGORY, false, "", FileCondition.NONE);

    /**
     * Traits of a probe without cases that is attached at the start, whose hits are read when it suits the reader.
     *
     * @param name the probe's name in the recording; "" = the function's
     * @param category the preset's name, or {@link #USER_CATEGORY}
     * @param optional whether a target that lacks the function is no error
     * @param role what a hit means to the assembly of requests; "" = nothing
     * @param files the files that the probe is for
     */
    public PresetTraits(String name, String category, boolean optional, String role, FileCondition files) {
        this(name, category, optional, role, files, ProbeCases.NONE, false, Attaching.AT_START);
    }

    /**
     * When a probe is attached. Probes that few targets need, but that all would pay for, await something that another
     * probe announces.
     *
     * @param awaits what must have been announced before it is attached, such as TLS; "" = it is attached at the start
     * @param announces what its first hit in any traced process shows; it records nothing and is detached then; "" =
     *     nothing
     */
    public record Attaching(String awaits, String announces) {
        /** At the start, for as long as the capture lasts. */
        public static final Attaching AT_START = new Attaching("", "");
    }

    /**
     * The files a probe is for: structures differ between versions of a program, and functions distinguish the
     * versions. Function names are those of the file's symbols, as in a spec without a glob.
     *
     * @param requires a function that the probed file must have
     * @param lacks a function that it must not have
     * @param layouts code of which the file must have one, which shows where the fields of a structure lie; empty: any
     * @param otherLayouts code of which it must have none: the probe is for files whose layout is not known
     * @param ofProvider whether it is for processes that have the provider of the USDT probe
     */
    public record FileCondition(
            Optional<String> requires,
            Optional<String> lacks,
            List<KnownLayout> layouts,
            List<KnownLayout> otherLayouts,
            boolean ofProvider) {
        /** Any file. */
        public static final FileCondition NONE = new FileCondition(Optional.empty(), Optional.empty());

        /** What may be loaded into a process, or not. */
        public static final FileCondition OF_PROVIDER =
                new FileCondition(Optional.empty(), Optional.empty(), List.of(), List.of(), true);

        /** Copies the lists. */
        public FileCondition {
            layouts = List.copyOf(layouts);
            otherLayouts = List.copyOf(otherLayouts);
        }

        /**
         * A condition on functions alone.
         *
         * @param requires a function that the probed file must have
         * @param lacks a function that it must not have
         */
        public FileCondition(Optional<String> requires, Optional<String> lacks) {
            this(requires, lacks, List.of(), List.of());
        }

        /**
         * A condition on functions and the layouts of structures.
         *
         * @param requires a function that the probed file must have
         * @param lacks a function that it must not have
         * @param layouts code of which the file must have one
         * @param otherLayouts code of which it must have none
         */
        public FileCondition(
                Optional<String> requires,
                Optional<String> lacks,
                List<KnownLayout> layouts,
                List<KnownLayout> otherLayouts) {
            this(requires, lacks, layouts, otherLayouts, false);
        }

        /** {@return whether every file fulfils it} */
        public boolean isNone() {
            return equals(NONE);
        }
    }

    /**
     * Where the fields of a structure lie in some versions of a program, read from instructions that use them.
     *
     * @param name for messages
     * @param function whose code is looked at
     * @param code instructions, or parts of them, in hexadecimal digits; all must be in the function
     * @param and what another function must have, too
     */
    public record KnownLayout(String name, String function, List<String> code, Optional<KnownLayout> and) {
        /** Copies the list. */
        public KnownLayout {
            code = List.copyOf(code);
        }

        /**
         * A layout that one function shows.
         *
         * @param name for messages
         * @param function whose code is looked at
         * @param code instructions, or parts of them, in hexadecimal digits
         */
        public KnownLayout(String name, String function, List<String> code) {
            this(name, function, code, Optional.empty());
        }
    }

    /**
     * {@return the same traits in another preset}
     *
     * @param otherCategory its name
     */
    public PresetTraits inCategory(String otherCategory) {
        return new PresetTraits(name, otherCategory, optional, role, files, cases, wakes, attaching);
    }
}
