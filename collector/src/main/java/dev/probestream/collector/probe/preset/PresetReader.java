package dev.probestream.collector.probe.preset;

import static dev.probestream.collector.probe.preset.PresetFile.orEmpty;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.preset.PresetFile.Defaults;
import dev.probestream.collector.probe.preset.PresetFile.Entry;
import dev.probestream.collector.probe.preset.PresetFile.Variant;
import dev.probestream.collector.probe.preset.PresetFile.Versions;
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
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a preset's YAML file. What is wrong in one is an error of ours, not of the user. */
final class PresetReader {
    private static final ObjectMapper YAML = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .build();

    /**
     * The file index.yaml.
     *
     * @param sets the names of all presets, in the order in which they should be shown
     */
    record Index(List<String> sets, List<Group> groups) {
        Optional<Group> group(String word) {
            return groups.stream().filter(group -> group.name().equals(word)).findFirst();
        }

        /** The presets that a group's name, a preset's name or a glob stands for. */
        List<String> matching(String word) {
            return group(word)
                    .map(group -> group.sets().stream()
                            .filter(set -> set.indexOf(':') < 0)
                            .toList())
                    .orElseGet(() -> {
                        String pattern = word.replace("*", ".*").replace('?', '.');
                        return sets.stream()
                                .filter(name -> name.matches(pattern))
                                .toList();
                    });
        }
    }

    /**
     * A name for several presets.
     *
     * @param sets their names, and probes without a preset such as {@code profile:19}
     * @param alone whether nothing is added that its presets bring
     */
    record Group(String name, String description, List<String> sets, boolean alone) {}

    /** Read when it is asked for first: most commands need no preset. */
    private static final class IndexOnce {
        static final Index INDEX = preset("index", Index.class);
    }

    /** The versions of Node.js, by what differs between them. Read when a probe asks for them first. */
    private static final class VersionsOnce {
        static final Versions NODE = resource("/dev/probestream/versions/node.yaml", Versions.class);
    }

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
        return preset(name, PresetFile.class);
    }

    private static <T> T preset(String name, Class<T> type) {
        return resource("/dev/probestream/presets/" + name + ".yaml", type);
    }

    private static <T> T resource(String resource, Class<T> type) {
        try (InputStream in = PresetReader.class.getResourceAsStream(resource)) {
            return YAML.readValue(Objects.requireNonNull(in, resource), type);
        } catch (IOException e) {
            throw new UncheckedIOException("read " + resource, e);
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
                .flatMap(entry -> entry.from() == null
                        ? specs(file, defaults, entry)
                        : shared(entry.from(), entry).map(spec -> spec.inCategory(file.name())))
                .toList();
        rejectUnannounced(file, probes);
        Optional<String> unless = Optional.ofNullable(file.unless());
        return new ProbeSet(file.name(), file.description(), file.fits(), probes, orEmpty(file.brings()), unless);
    }

    /** The probe of another set; a capture with both sets has it once. */
    private static Stream<ProbeSpec> shared(String set, Entry entry) {
        PresetFile other = file(set);
        Entry original = other.probes().stream()
                .filter(candidate -> Objects.equals(candidate.name(), entry.name()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the preset " + set + " has no " + entry.name()));
        return specs(other, Objects.requireNonNullElse(other.defaults(), Defaults.NONE), original);
    }

    private static Stream<ProbeSpec> specs(PresetFile file, Defaults defaults, Entry entry) {
        return entry.variants() == null
                ? Stream.of(spec(file, defaults, entry, "", Variant.NONE))
                : variants(file, entry.variants()).entrySet().stream()
                        .map(variant -> spec(file, defaults, entry, variant.getKey(), variant.getValue()));
    }

    private static Map<String, Variant> variants(PresetFile file, String name) {
        Map<String, Variant> own = orEmpty(file.versions()).get(name);
        Map<String, Variant> known = own == null ? VersionsOnce.NODE.get(name) : own;
        if (known == null) {
            throw new IllegalArgumentException("the preset names " + name + ", of which no versions are known");
        }
        return known;
    }

    private static ProbeSpec spec(PresetFile file, Defaults defaults, Entry entry, String version, Variant variant) {
        String text = Objects.requireNonNull(entry.spec(), "a probe without its spec");
        ProbeSpec written = PresetContext.of(entry.context() == null ? file.context() : entry.context())
                .addTo(SpecParser.parse(variant.fill(text)));
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
                files(written, file, entry, version, variant),
                entry.cases() == null
                        ? ProbeCases.NONE
                        : PresetCases.of(
                                Objects.requireNonNull(file.cases(), "the file has no cases"),
                                defaults,
                                entry,
                                written),
                // At once, so that what awaits it misses little.
                Objects.requireNonNullElse(entry.wakes(), entry.announces() != null),
                attaching(written, entry));
        return written.ofPreset(arguments(written, defaults, entry), result, filter(written, entry, variant), traits);
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

    private static Attaching attaching(ProbeSpec written, Entry entry) {
        boolean isUserFunction = written.kind().isUserFunction();
        if (entry.awaits() != null && !isUserFunction) {
            throw new IllegalArgumentException("the probe " + written.text() + " awaits " + entry.awaits()
                    + ", but only probes in user functions can be attached later");
        }
        boolean isMoment = isUserFunction && !written.kind().isSpan() && !written.untilNext();
        if (entry.announces() != null && (!isMoment || entry.awaits() != null || entry.role() != null)) {
            throw new IllegalArgumentException("the probe " + written.text() + " announces " + entry.announces()
                    + ": it must be an entry or a return of a user function, without a role, and await nothing");
        }
        return new Attaching(
                Objects.requireNonNullElse(entry.awaits(), ""), Objects.requireNonNullElse(entry.announces(), ""));
    }

    /** A probe that awaits what no other announces would be attached at the start, and one that announces it be in vain. */
    private static void rejectUnannounced(PresetFile file, List<ProbeSpec> probes) {
        Set<String> awaited = names(probes, Attaching::awaits);
        Set<String> announced = names(probes, Attaching::announces);
        if (!awaited.equals(announced)) {
            throw new IllegalArgumentException("the probes of the preset " + file.name() + " await " + awaited
                    + " and announce " + announced + ", which must be the same");
        }
    }

    private static Set<String> names(List<ProbeSpec> probes, Function<Attaching, String> name) {
        return probes.stream()
                .map(spec -> name.apply(spec.preset().attaching()))
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static FileCondition files(
            ProbeSpec written, PresetFile file, Entry entry, String version, Variant variant) {
        if (Objects.requireNonNullElse(entry.addon(), false)) {
            return FileCondition.OF_PROVIDER;
        }
        FileCondition condition = new FileCondition(
                one(entry.requires(), variant.requires()),
                one(entry.lacks(), variant.lacks()),
                variant.layout() == null ? List.of() : List.of(variant.layout().named(version)),
                entry.otherVariants() == null ? List.of() : layouts(variants(file, entry.otherVariants())));
        if (!condition.isNone() && !written.kind().isUserFunction()) {
            throw new IllegalArgumentException(
                    "the preset limits " + written.text() + " to some files, but it is not a probe in a user function");
        }
        return condition;
    }

    private static Optional<String> one(@Nullable String ofEntry, @Nullable String ofVariant) {
        if (ofEntry != null && ofVariant != null) {
            throw new IllegalArgumentException(
                    "a probe has the condition " + ofEntry + ", and its version " + ofVariant);
        }
        return Optional.ofNullable(ofEntry == null ? ofVariant : ofEntry);
    }

    private static List<KnownLayout> layouts(Map<String, Variant> versions) {
        List<KnownLayout> layouts = new ArrayList<>();
        versions.forEach((version, variant) -> {
            if (variant.layout() != null) {
                layouts.add(variant.layout().named(version));
            }
        });
        return layouts;
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
    private static Optional<Filter> filter(ProbeSpec written, Entry entry, Variant variant) {
        List<Filter> both = new ArrayList<>();
        written.filter().ifPresent(both::add);
        if (entry.when() != null) {
            both.add(SpecParser.parseFilter(variant.fill(entry.when()), written));
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
}
