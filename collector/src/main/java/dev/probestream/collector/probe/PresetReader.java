package dev.probestream.collector.probe;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a preset's YAML file. What is wrong in one is an error of ours, not of the user. */
final class PresetReader {
    private static final ObjectMapper YAML = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .build();

    /** {@link Entry#layout} of a probe for files with none of the layouts. */
    private static final String NO_LAYOUT = "none";

    /**
     * The file index.yaml.
     *
     * @param sets the names of all presets, in the order in which they should be shown
     */
    record Index(List<String> sets, List<Group> groups) {
        /** The presets that a group's name, a preset's name or a glob stands for. */
        List<String> matching(String word) {
            return groups.stream()
                    .filter(group -> group.name().equals(word))
                    .findFirst()
                    .map(Group::sets)
                    .orElseGet(() -> {
                        String pattern = word.replace("*", ".*").replace('?', '.');
                        return sets.stream()
                                .filter(name -> name.matches(pattern))
                                .toList();
                    });
        }
    }

    /** A name for several presets. */
    record Group(String name, String description, List<String> sets) {}

    /** Read when it is asked for first: most commands need no preset. */
    private static final class IndexOnce {
        static final Index INDEX = resource("index", Index.class);
    }

    /**
     * A preset file.
     *
     * @param fits which programs have its probes
     * @param layouts where the fields of a structure lie, by a name that {@link Entry#layout} gives
     * @param defaults traits of every argument of that name, unless its probe has others
     * @param cases what the cases of probes record
     * @param brings probes of other presets, by their roles, that are recorded with this one if anything else is
     * @param context as {@link Entry#context}, of every probe without its own value
     */
    record PresetFile(
            String name,
            String description,
            String fits,
            @Nullable Map<String, LayoutEntry> layouts,
            @Nullable Defaults defaults,
            @Nullable Cases cases,
            @Nullable Map<String, List<String>> brings,
            @Nullable String context,
            List<Entry> probes) {}

    /**
     * Which probes the hits of one probe are in the recording ({@link ProbeCases}); for all entries that name their cases.
     *
     * @param by the argument that distinguishes them; its labels are the words for the cases
     * @param arguments for each word what it records, in order: the name of an argument, or {@code fd=file} for the argument
     *     file under the name fd
     * @param always what each of them records behind that, as far as the probe has it
     */
    record Cases(String by, Map<String, List<String>> arguments, List<String> always) {}

    /** As {@link KnownLayout}, whose name is the key. */
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
     * @param layout those of the layouts at the head of the file of which it must have one, likewise; {@code none}: none of them
     * @param otherLayouts those of which it must have none, likewise
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
            @Nullable List<String> layout,
            @Nullable List<String> otherLayouts) {}

    private PresetReader() {}

    /** The order of the presets, and the groups. */
    static Index index() {
        return IndexOnce.INDEX;
    }

    static ProbeSet read(String name) {
        return set(file(name));
    }

    /** The file of a preset, its specs not parsed yet. */
    static PresetFile file(String name) {
        return resource(name, PresetFile.class);
    }

    private static <T> T resource(String name, Class<T> type) {
        String resource = "/dev/probestream/presets/" + name + ".yaml";
        try (InputStream in = PresetReader.class.getResourceAsStream(resource)) {
            return YAML.readValue(Objects.requireNonNull(in, resource), type);
        } catch (IOException e) {
            throw new UncheckedIOException("read the preset " + resource, e);
        }
    }

    /** Reads the text of a preset file. */
    static ProbeSet parse(String yaml) {
        try {
            return set(YAML.readValue(yaml, PresetFile.class));
        } catch (IOException e) {
            throw new UncheckedIOException("read a preset", e);
        }
    }

    private static ProbeSet set(PresetFile file) {
        Defaults defaults = Objects.requireNonNullElse(file.defaults(), Defaults.NONE);
        List<ProbeSpec> probes = file.probes().stream()
                .map(entry -> entry.from() == null
                        ? spec(file, defaults, entry)
                        : shared(entry.from(), entry).inCategory(file.name()))
                .toList();
        return new ProbeSet(file.name(), file.description(), file.fits(), probes, orEmpty(file.brings()));
    }

    /** The probe of another set; a capture with both sets has it once. */
    private static ProbeSpec shared(String set, Entry entry) {
        PresetFile other = file(set);
        Entry original = other.probes().stream()
                .filter(candidate -> Objects.equals(candidate.name(), entry.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the preset " + set + " has no " + entry.name()));
        return spec(other, Objects.requireNonNullElse(other.defaults(), Defaults.NONE), original);
    }

    private static ProbeSpec spec(PresetFile file, Defaults defaults, Entry entry) {
        ProbeSpec written = PresetContext.of(entry.context() == null ? file.context() : entry.context())
                .addTo(ProbeSpec.parse(Objects.requireNonNull(entry.spec(), "a probe without its spec")));
        rejectUnknownNames(written, entry);
        rejectTextRules(written, merged(defaults.texts(), entry.texts()));
        String returnUnit = entry.returnUnit() == null ? defaults.returnUnit() : entry.returnUnit();
        Optional<ReturnSpec> result = written.result()
                .map(returned -> new ReturnSpec(returned.type(), Objects.requireNonNullElse(returnUnit, "")));
        PresetTraits traits = new PresetTraits(
                Objects.requireNonNullElse(entry.name(), ""),
                file.name(),
                Objects.requireNonNullElse(entry.optional(), true),
                Objects.requireNonNullElse(entry.role(), ""),
                files(written, layouts(file), entry),
                entry.cases() == null
                        ? ProbeCases.NONE
                        : PresetCases.of(
                                Objects.requireNonNull(file.cases(), "the file has no cases"),
                                defaults,
                                entry,
                                written),
                Objects.requireNonNullElse(entry.wakes(), false));
        return written.ofPreset(arguments(written, defaults, entry), result, filter(written, entry), traits);
    }

    private static List<ArgumentSpec> arguments(ProbeSpec written, Defaults defaults, Entry entry) {
        Map<String, String> units = merged(defaults.units(), entry.units());
        Map<String, FlowStep> flows = merged(defaults.flows(), entry.flows());
        Map<String, Map<String, String>> labels = merged(defaults.labels(), entry.labels());
        Map<String, TextRule> texts = merged(defaults.texts(), entry.texts());
        return written.arguments().stream()
                .map(argument -> argument.described(
                        units.getOrDefault(argument.name(), ""),
                        flows.getOrDefault(argument.name(), FlowStep.NONE),
                        labels.getOrDefault(argument.name(), Map.of()),
                        texts.getOrDefault(argument.name(), TextRule.PLAIN)))
                .toList();
    }

    private static List<KnownLayout> layouts(PresetFile file) {
        return orEmpty(file.layouts()).entrySet().stream()
                .map(layout -> layout.getValue().named(layout.getKey()))
                .toList();
    }

    private static FileCondition files(ProbeSpec written, List<KnownLayout> layouts, Entry entry) {
        if (Objects.requireNonNullElse(entry.addon(), false)) {
            return FileCondition.OF_PROVIDER;
        }
        List<String> names = Objects.requireNonNullElse(entry.layout(), List.of());
        boolean isForOthers = names.equals(List.of(NO_LAYOUT));
        FileCondition condition = new FileCondition(
                Optional.ofNullable(entry.requires()),
                Optional.ofNullable(entry.lacks()),
                isForOthers ? List.of() : named(names, layouts),
                isForOthers ? layouts : named(Objects.requireNonNullElse(entry.otherLayouts(), List.of()), layouts));
        if (!condition.isNone() && !written.kind().isUserFunction()) {
            throw new IllegalArgumentException(
                    "the preset limits " + written.text() + " to some files, but it is not a probe in a user function");
        }
        return condition;
    }

    private static List<KnownLayout> named(List<String> names, List<KnownLayout> layouts) {
        return names.stream()
                .map(name -> layouts.stream()
                        .filter(known -> known.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("the preset has no layout " + name)))
                .toList();
    }

    /** A rule is for text; that of a piece needs the argument that names its parser. */
    private static void rejectTextRules(ProbeSpec spec, Map<String, TextRule> rules) {
        for (ArgumentSpec argument : spec.arguments()) {
            TextRule rule = rules.getOrDefault(argument.name(), TextRule.PLAIN);
            if (rule != TextRule.PLAIN && !argument.type().isText()) {
                throw new IllegalArgumentException("the preset has a text rule for " + argument.name()
                        + ", which is not a text of " + spec.text());
            }
            boolean hasParser = spec.arguments().stream()
                    .anyMatch(other -> other.name().equals(ArgumentSpec.PARSER)
                            && !other.type().isText());
            if (rule == TextRule.URL_PIECE && !hasParser) {
                throw new IllegalArgumentException("the preset calls " + argument.name() + " of " + spec.text()
                        + " a piece of a URL, but there is no number called " + ArgumentSpec.PARSER);
            }
        }
    }

    /** Both the spec's own filter and the entry's must hold. */
    private static Optional<Filter> filter(ProbeSpec written, Entry entry) {
        List<Filter> both = new ArrayList<>();
        written.filter().ifPresent(both::add);
        if (entry.when() != null) {
            both.add(Filter.parse(entry.when(), written));
        }
        return both.isEmpty() ? Optional.empty() : Optional.of(Filter.all(both));
    }

    private static void rejectUnknownNames(ProbeSpec spec, Entry entry) {
        Set<String> unknown = new LinkedHashSet<>();
        unknown.addAll(orEmpty(entry.units()).keySet());
        unknown.addAll(orEmpty(entry.flows()).keySet());
        unknown.addAll(orEmpty(entry.labels()).keySet());
        unknown.addAll(orEmpty(entry.texts()).keySet());
        spec.arguments().forEach(argument -> unknown.remove(argument.name()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("the preset describes " + unknown + ", no arguments of " + spec.text());
        }
    }

    private static <V> Map<String, V> merged(@Nullable Map<String, V> defaults, @Nullable Map<String, V> own) {
        Map<String, V> merged = new HashMap<>(orEmpty(defaults));
        merged.putAll(orEmpty(own));
        return merged;
    }

    private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
        return map == null ? Map.of() : map;
    }
}
