package dev.probestream.collector.probe.preset;

import static dev.probestream.collector.probe.preset.PresetFile.orEmpty;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.collector.probe.preset.PresetFile.Cases;
import dev.probestream.collector.probe.preset.PresetFile.Defaults;
import dev.probestream.collector.probe.preset.PresetFile.Entry;
import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** Makes the {@link ProbeCases} of an entry of a preset: one for each label of the argument that distinguishes them. */
final class PresetCases {
    private final Defaults defaults;
    private final Entry entry;
    private final ProbeSpec written;

    private PresetCases(Defaults defaults, Entry entry, ProbeSpec written) {
        this.defaults = defaults;
        this.entry = entry;
        this.written = written;
    }

    static ProbeCases of(Cases cases, Defaults defaults, Entry entry, ProbeSpec written) {
        return new PresetCases(defaults, entry, written).make(cases);
    }

    private ProbeCases make(Cases cases) {
        Map<String, String> labels =
                Objects.requireNonNull(orEmpty(defaults.labels()).get(cases.by()), "no labels of " + cases.by());
        Map<Long, String> words = new TreeMap<>();
        labels.forEach((value, word) -> words.put(Long.parseLong(value), word));
        int returned = entry.returned() == null ? -1 : index(entry.returned());
        Optional<ReturnSpec> result = returned < 0
                ? Optional.empty()
                : Optional.of(new ReturnSpec(
                        written.arguments().get(returned).type(),
                        Objects.requireNonNullElse(defaults.returnUnit(), "")));
        String pattern = Objects.requireNonNull(entry.cases());
        Map<Long, ProbeCases.Case> byValue = new LinkedHashMap<>();
        words.forEach((value, word) -> {
            List<String> recorded = cases.arguments().get(word);
            if (recorded != null) {
                byValue.put(value, one(byValue.size(), pattern.replace("*", word), recorded, cases.always(), result));
            }
        });
        if (byValue.size() != cases.arguments().size()) {
            throw new IllegalArgumentException("the cases of " + written.text() + " are not labels of " + cases.by());
        }
        return new ProbeCases(index(cases.by()), returned, byValue);
    }

    private ProbeCases.Case one(
            int index, String name, List<String> recorded, List<String> always, Optional<ReturnSpec> result) {
        List<ArgumentSpec> arguments = new ArrayList<>();
        List<Integer> sources = new ArrayList<>();
        List<String> all = new ArrayList<>(recorded);
        all.addAll(always);
        PresetContext.argumentNames().forEach(all::add);
        for (String argument : all) {
            String called = argument.replaceAll("=.*", "");
            int source = index(argument.replaceAll(".*=", ""));
            if (source >= 0) {
                arguments.add(described(written.arguments().get(source).named(called)));
                sources.add(source);
            }
        }
        return new ProbeCases.Case(index, name, arguments, sources, result);
    }

    private ArgumentSpec described(ArgumentSpec argument) {
        String name = argument.name();
        return argument.described(
                orEmpty(defaults.units()).getOrDefault(name, ""),
                orEmpty(entry.flows())
                        .getOrDefault(name, orEmpty(defaults.flows()).getOrDefault(name, FlowStep.NONE)),
                orEmpty(defaults.labels()).getOrDefault(name, Map.of()),
                orEmpty(defaults.texts()).getOrDefault(name, TextRule.PLAIN));
    }

    /** Which of the probe's own arguments has this name; -1 = none: the table serves probes that record less, too. */
    private int index(String name) {
        for (int i = 0; i < written.arguments().size(); i++) {
            if (written.arguments().get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
