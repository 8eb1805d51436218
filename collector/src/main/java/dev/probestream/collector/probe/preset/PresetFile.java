package dev.probestream.collector.probe.preset;

import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.record.FlowStep;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A preset's YAML file, as it is written: its specs are not parsed yet.
 *
 * @param fits which programs have its probes
 * @param versions as the file of the versions of Node.js, for this preset alone
 * @param defaults traits of every argument of that name, unless its probe has others
 * @param cases what the cases of probes record
 * @param brings probes of other presets, by their roles, that are recorded with this one if anything else is
 * @param unless a preset that records the same and more: with both, this one is left out
 * @param context as {@link Entry#context}, of every probe without its own value
 */
record PresetFile(
        String name,
        String description,
        String fits,
        @Nullable Versions versions,
        @Nullable Defaults defaults,
        @Nullable Cases cases,
        @Nullable Map<String, List<String>> brings,
        @Nullable String unless,
        @Nullable String context,
        List<Entry> probes) {
    /**
     * Which probes the hits of one probe are in the recording ({@link ProbeCases}); for all entries that name their cases.
     *
     * @param by the argument that distinguishes them; its labels are the words for the cases
     * @param arguments for each word what it records, in order: the name of an argument, or {@code fd=file} for the argument
     *     file under the name fd
     * @param always what each of them records behind that, as far as the probe has it
     */
    record Cases(String by, Map<String, List<String>> arguments, List<String> always) {}

    /** What differs between versions of a program, by the name that {@link Entry#variants} gives. */
    static final class Versions extends LinkedHashMap<String, LinkedHashMap<String, Variant>> {
        private static final long serialVersionUID = 1;
    }

    /**
     * How a version differs.
     *
     * @param requires a function that the probed file must have
     * @param lacks a function that it must not have; with {@code *} any of that name
     * @param layout code that it must have
     * @param fields what replaces their names in braces, in the spec and in the filter
     */
    record Variant(
            @Nullable String requires,
            @Nullable String lacks,
            @Nullable LayoutEntry layout,
            @Nullable Map<String, String> fields) {
        static final Variant NONE = new Variant(null, null, null, null);

        String fill(String text) {
            String filled = text;
            for (Map.Entry<String, String> field : orEmpty(fields).entrySet()) {
                filled = filled.replace('{' + field.getKey() + '}', field.getValue());
            }
            if (filled.indexOf('{') >= 0) {
                throw new IllegalArgumentException("a version has no field for the brace in " + filled);
            }
            return filled;
        }
    }

    /** As {@link KnownLayout}, whose name is the version's. */
    record LayoutEntry(
            String function, List<String> code, @Nullable LayoutEntry and) {
        KnownLayout named(String name) {
            return new KnownLayout(
                    name, function, code, Optional.ofNullable(and).map(other -> other.named(name)));
        }
    }

    /** Traits of arguments by their names, for all probes of the file; as in {@link Entry}. */
    record Defaults(
            @Nullable Map<String, String> units,
            @Nullable String returnUnit,
            @Nullable Map<String, FlowStep> flows,
            @Nullable Map<String, Map<String, String>> labels,
            @Nullable Map<String, TextRule> texts) {
        static final Defaults NONE = new Defaults(null, null, null, null, null);
    }

    /**
     * One probe of a preset.
     *
     * @param spec as a user would write it; left out: the probe of this name in the set {@code from}
     * @param from another set, whose probe this is too
     * @param name what its slices are called; left out: as the function
     * @param optional whether a target may lack it; left out: yes
     * @param when which hits are recorded: a filter, e.g. {@code *arg1:s64@+8 > 0}; left out: all
     * @param units unit by argument name
     * @param returnUnit unit of the returned value
     * @param flows step by argument name
     * @param labels names of values by argument name
     * @param texts what texts mean by argument name: url, query, sql ... ({@link TextRule})
     * @param role what a hit means to the assembly of requests, e.g. {@code http.begin}
     * @param requires a function that the probed file must have; where it is missing the probe is left out without a word
     * @param addon whether it is a USDT probe of what few targets load: where its provider is missing, likewise
     * @param lacks a function that it must not have, likewise; with {@code *} any of that name
     * @param cases what its cases are called, with * for the word of each: uv_fs_*; left out: it has none
     * @param returned the argument that is the returned value of its cases
     * @param context what of the async context it records ({@link PresetContext}): {@code true}, {@code callback} or {@code
     *     counter}; left out or {@code false}: nothing
     * @param wakes whether a hit is read at once, because the process may end next; left out: no
     * @param awaits what another probe of the file must have announced before it is attached; left out: nothing
     * @param announces what its first hit shows; it records nothing, and is detached then; left out: nothing. In messages as
     *     "NAME is used since ..."
     * @param variants what differs between versions of the program: this is one probe for each of them, which is for the files that fulfil
     *     its condition
     * @param otherVariants likewise: the probe is for files that have the layout of none of them
     */
    record Entry(
            @Nullable String spec,
            @Nullable String from,
            @Nullable String name,
            @Nullable Boolean optional,
            @Nullable String when,
            @Nullable Map<String, String> units,
            @Nullable String returnUnit,
            @Nullable Map<String, FlowStep> flows,
            @Nullable Map<String, Map<String, String>> labels,
            @Nullable Map<String, TextRule> texts,
            @Nullable String role,
            @Nullable String requires,
            @Nullable Boolean addon,
            @Nullable String lacks,
            @Nullable String cases,
            @Nullable String returned,
            @Nullable String context,
            @Nullable Boolean wakes,
            @Nullable String awaits,
            @Nullable String announces,
            @Nullable String variants,
            @Nullable String otherVariants) {}

    /** A map that a file leaves out is empty. */
    static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
        return map == null ? Map.of() : map;
    }
}
