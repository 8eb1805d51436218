package dev.probestream.collector.probe;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A preset: probes that together answer one question. Each is a documented YAML file among this package's resources,
 * {@code dev/probestream/presets/NAME.yaml}.
 *
 * @param name what a user calls it by; also the category of its probes
 * @param description one sentence for a list of presets
 * @param fits which programs have its probes, such as "Redis"
 * @param probes in the order of the file
 */
public record ProbeSet(String name, String description, String fits, List<ProbeSpec> probes) {
    /**
     * What the words for many sets mean: what fits Node.js. The sets for other programs cost and skip nothing until they are
     * named.
     */
    private static final Map<String, List<String>> SETS_OF_SETS = Map.of(
            "all",
            List.of(
                    "node-http",
                    "node-net",
                    "node-dns",
                    "node-fs",
                    "node-pool",
                    "node-loop",
                    "node-gc",
                    "syscalls",
                    "sched"),
            "incident",
            List.of(
                    "node-http",
                    "node-net",
                    "node-dns",
                    "node-fs",
                    "node-pool",
                    "node-loop",
                    "node-gc",
                    "node-callers",
                    "syscalls",
                    "sched",
                    "offcpu",
                    "profile"));

    private static final List<String> NAMES = List.of(
            "node-http",
            "node-net",
            "node-dns",
            "node-fs",
            "node-pool",
            "node-loop",
            "node-gc",
            "node-callers",
            "syscalls",
            "sched",
            "offcpu",
            "profile",
            "jvm",
            "jvm-methods",
            "redis",
            "postgres",
            "go-http");

    public ProbeSet {
        probes = List.copyOf(probes);
    }

    /** The names of all presets, in the order in which they should be shown. */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * The preset of this name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static ProbeSet named(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("no probe set is called " + name + "; there are " + NAMES);
        }
        return PresetReader.read(name);
    }

    /**
     * What a user asks for by words such as {@code node-loop}, {@code node-*,sched}, {@code all}, {@code incident} or whole
     * specs. A set that is named twice counts once, and so does a probe that several of the sets have: it is of the category of
     * the first. Context switches are recorded once, with all the stacks that are asked for.
     *
     * @throws SpecSyntaxException when a word is neither a set's name nor a spec
     */
    public static List<ProbeSpec> select(List<String> setsOrSpecs) {
        Map<ProbeSpec, ProbeSpec> selected = new LinkedHashMap<>();
        for (String wanted : setsOrSpecs) {
            List<String> sets = matching(wanted);
            if (sets.isEmpty()) {
                add(ProbeSpec.parse(wanted), selected);
            }
            for (String set : sets) {
                named(set).probes().forEach(spec -> add(spec, selected));
            }
        }
        return List.copyOf(selected.values());
    }

    private static void add(ProbeSpec spec, Map<ProbeSpec, ProbeSpec> selected) {
        if (spec.kind() == ProbeKind.SCHED) {
            ProbeSpec key = spec.inCategory("").withStack(StackSpec.NONE, ProbeKind.SCHED.spelling());
            selected.merge(key, spec, ProbeSet::bothStacks);
        } else {
            selected.putIfAbsent(spec.inCategory(""), spec);
        }
    }

    /** Two programs at one switch would tell of it twice. */
    private static ProbeSpec bothStacks(ProbeSpec first, ProbeSpec second) {
        boolean isMore = !first.stack().and(second.stack()).equals(first.stack());
        return isMore ? first.withStack(first.stack().and(second.stack()), second.text()) : first;
    }

    /** The sets a comma-separated list of names, globs and words for many sets means; empty when it is no such list. */
    private static List<String> matching(String wanted) {
        if (!wanted.matches("[a-z*?,-]+")) {
            return List.of();
        }
        List<String> found = NAMES.stream()
                .filter(name -> List.of(wanted.split(",")).stream().anyMatch(word -> matches(word, name)))
                .toList();
        int position = 0;
        for (String word : wanted.split(",")) {
            if (NAMES.stream().noneMatch(name -> matches(word, name))) {
                throw new SpecSyntaxException(
                        wanted,
                        position,
                        "no probe set is called " + word + "; there are " + NAMES + " and "
                                + SETS_OF_SETS.keySet().stream().sorted().toList());
            }
            position += word.length() + 1;
        }
        return found;
    }

    private static boolean matches(String word, String name) {
        return SETS_OF_SETS.containsKey(word)
                ? SETS_OF_SETS.get(word).contains(name)
                : name.matches(word.replace("*", ".*").replace('?', '.'));
    }
}
