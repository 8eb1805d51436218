package dev.probestream.collector.probe.preset;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.StackSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A preset: probes that together answer one question. Each is a documented YAML file among this module's resources,
 * {@code dev/probestream/presets/NAME.yaml}; {@code index.yaml} beside them has their order and the groups.
 *
 * @param name what a user calls it by; also the category of its probes
 * @param description one sentence for a list of presets
 * @param fits which programs have its probes, such as "Redis"
 * @param probes in the order of the file
 * @param brings the roles of probes of other presets, by the presets' names: their events are needed to understand what
 *     else is recorded with this one, so {@link #select} adds them as soon as there is anything else
 * @param unless the preset that records the same and more: {@link #select} leaves this one out where both are asked for
 */
public record ProbeSet(
        String name,
        String description,
        String fits,
        List<ProbeSpec> probes,
        Map<String, List<String>> brings,
        Optional<String> unless) {
    /** The name of a set or a group, with {@code *} and {@code ?} and digits behind a hyphen, or a set of the kernel with its limit. */
    private static final String WORD = "([a-z*?-]+|[a-z*?]+-[a-z0-9*?-]+|(syscalls|sched):[a-z0-9]+)";

    /**
     * A line of the list of probe sets.
     *
     * @param name of a set or of a group of sets
     * @param description one sentence
     */
    public record Entry(String name, String description) {}

    /** Copies the lists. */
    public ProbeSet {
        probes = List.copyOf(probes);
        brings = Map.copyOf(brings);
    }

    /** {@return the names of all presets, in the order in which they should be shown} */
    public static List<String> names() {
        return PresetReader.index().sets();
    }

    /** {@return all presets and what they record, in the order in which they should be shown} */
    public static List<Entry> descriptions() {
        return names().stream()
                .map(name -> new Entry(name, PresetReader.file(name).description()))
                .toList();
    }

    /** {@return the words that stand for several presets, such as {@code all}} */
    public static List<Entry> groups() {
        return PresetReader.index().groups().stream()
                .map(group -> new Entry(group.name(), group.description()))
                .toList();
    }

    /**
     * {@return the preset of this name}
     *
     * @param name of a set, not of a group
     * @throws IllegalArgumentException when there is none
     */
    public static ProbeSet named(String name) {
        if (!names().contains(name)) {
            throw new IllegalArgumentException("no probe set is called " + name + "; there are " + names());
        }
        return PresetReader.read(name);
    }

    /**
     * {@return what a user asks for by words such as {@code node-loop}, {@code node-*,sched}, {@code all}, {@code
     * incident} or whole specs} A set that is named twice counts once, and so does a probe that several of the sets
     * have: it is of the category of the first. Context switches are recorded once, with all the stacks that are asked
     * for, and so are system calls: the lowest limit holds. What a set {@link #brings} is added unless that set is all there is. A set is left out
     * if the one is asked for, too, that records the same and more ({@link #unless}).
     *
     * @param setsOrSpecs the words, each of which may hold several sets with commas between them
     * @throws SpecSyntaxException when a word is neither a set's name nor a spec
     */
    public static List<ProbeSpec> select(List<String> setsOrSpecs) {
        return select(setsOrSpecs, spec -> List.of(SpecParser.parse(spec)));
    }

    /**
     * {@return the same, for specs in any syntax}
     *
     * @param setsOrSpecs the words, each of which may hold several sets with commas between them
     * @param parser reads a word that is not the name of sets
     */
    public static List<ProbeSpec> select(List<String> setsOrSpecs, Function<String, List<ProbeSpec>> parser) {
        Map<ProbeSpec, ProbeSpec> selected = new LinkedHashMap<>();
        List<ProbeSet> named = new ArrayList<>();
        Set<String> all = setsOrSpecs.stream()
                .filter(ProbeSet::isOfSets)
                .flatMap(asked -> matching(asked, List.of(asked.split(","))).stream())
                .collect(Collectors.toSet());
        for (String asked : setsOrSpecs) {
            if (!isOfSets(asked)) {
                parser.apply(asked).forEach(spec -> add(spec, selected));
                continue;
            }
            List<String> words = List.of(asked.split(","));
            words.stream()
                    .flatMap(word ->
                            group(word).map(group -> group.sets().stream()).orElse(Stream.of(word)))
                    .filter(word -> word.indexOf(':') >= 0)
                    .map(SpecParser::parse)
                    .forEach(spec -> add(spec.inCategory(spec.kind().spelling()), selected));
            matching(asked, words).stream()
                    .map(ProbeSet::named)
                    .filter(set -> set.unless().filter(all::contains).isEmpty())
                    .forEach(set -> set.probes().forEach(spec -> add(spec, selected)));
            List<String> bringing = words.stream()
                    .filter(word -> !group(word).map(PresetReader.Group::alone).orElse(false))
                    .toList();
            matching(asked, bringing).forEach(set -> named.add(named(set)));
        }
        for (ProbeSet set : named) {
            boolean isAlone = selected.values().stream()
                    .allMatch(spec -> spec.preset().category().equals(set.name));
            if (!isAlone) {
                set.brought().forEach(spec -> add(spec, selected));
            }
        }
        return List.copyOf(selected.values());
    }

    private static boolean isOfSets(String asked) {
        return asked.matches(WORD + "(," + WORD + ")*,?");
    }

    private static Optional<PresetReader.Group> group(String word) {
        return PresetReader.index().group(word);
    }

    private List<ProbeSpec> brought() {
        List<ProbeSpec> brought = new ArrayList<>();
        brings.forEach((set, roles) -> named(set).probes().stream()
                .filter(spec -> roles.contains(spec.preset().role()))
                .forEach(brought::add));
        return brought;
    }

    private static void add(ProbeSpec spec, Map<ProbeSpec, ProbeSpec> selected) {
        if (spec.kind() == ProbeKind.SCHED || spec.kind() == ProbeKind.SYSCALLS) {
            String spelling = spec.kind().spelling();
            ProbeSpec key =
                    spec.inCategory("").withStack(StackSpec.NONE, spelling).withEvents("", spelling);
            selected.merge(key, spec, (first, second) -> bothStacks(moreEvents(first, second), second));
        } else {
            selected.putIfAbsent(spec.inCategory(""), spec);
        }
    }

    /** The same of calls and switches: what every hit of one is an event for has those of the other. */
    private static ProbeSpec moreEvents(ProbeSpec first, ProbeSpec second) {
        return eventLimitNs(second) < eventLimitNs(first) ? first.withEvents(second.function(), second.text()) : first;
    }

    private static long eventLimitNs(ProbeSpec spec) {
        return spec.function().equals(ProbeSpec.ALL_EVENTS) ? -1 : Long.parseLong(spec.function());
    }

    /** Two programs at one switch would record it twice. */
    private static ProbeSpec bothStacks(ProbeSpec first, ProbeSpec second) {
        boolean isMore = !first.stack().and(second.stack()).equals(first.stack());
        return isMore ? first.withStack(first.stack().and(second.stack()), second.text()) : first;
    }

    /** The sets that names, globs and groups stand for. */
    private static List<String> matching(String asked, List<String> words) {
        PresetReader.Index index = PresetReader.index();
        Set<String> matching = new HashSet<>();
        int position = 0;
        for (String word : words) {
            List<String> sets = word.indexOf(':') >= 0 ? List.of() : index.matching(word);
            if (sets.isEmpty() && word.indexOf(':') < 0) {
                throw new SpecSyntaxException(
                        asked,
                        position,
                        "no probe set is called " + word + "; there are " + index.sets() + " and "
                                + groups().stream().map(Entry::name).toList());
            }
            matching.addAll(sets);
            position += word.length() + 1;
        }
        return index.sets().stream().filter(matching::contains).toList();
    }
}
