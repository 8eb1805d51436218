package dev.probestream.collector.probe;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a preset's YAML file. What is wrong in one is an error of ours, not of the user. */
final class PresetReader {
    private static final ObjectMapper YAML =
            new ObjectMapper(new YAMLFactory()).enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** A preset file. */
    record PresetFile(String name, String description, List<Entry> probes) {}

    /**
     * One probe of a preset.
     *
     * @param spec as a user would write it
     * @param name what its slices are called; left out: as the function
     * @param optional whether a target may lack it; left out: yes
     * @param when which hits are recorded, e.g. {@code *arg1:s64@+8 > 0}; left out: all
     * @param units unit by argument name
     * @param returnUnit unit of the returned value
     * @param flows step by argument name
     * @param labels names of values by argument name
     */
    record Entry(
            String spec,
            @Nullable String name,
            @Nullable Boolean optional,
            @Nullable String when,
            @Nullable Map<String, String> units,
            @Nullable String returnUnit,
            @Nullable Map<String, FlowStep> flows,
            @Nullable Map<String, Map<String, String>> labels) {}

    private PresetReader() {}

    static ProbeSet read(String name) {
        String resource = "/dev/probestream/presets/" + name + ".yaml";
        try (InputStream in = PresetReader.class.getResourceAsStream(resource)) {
            return set(YAML.readValue(Objects.requireNonNull(in, resource), PresetFile.class));
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
        return new ProbeSet(
                file.name(),
                file.description(),
                file.probes().stream().map(entry -> spec(file.name(), entry)).toList());
    }

    private static ProbeSpec spec(String category, Entry entry) {
        ProbeSpec written = ProbeSpec.parse(Objects.requireNonNull(entry.spec(), "a probe without its spec"));
        Map<String, String> units = orEmpty(entry.units());
        Map<String, FlowStep> flows = orEmpty(entry.flows());
        Map<String, Map<String, String>> labels = orEmpty(entry.labels());
        rejectUnknownNames(written, units.keySet(), flows.keySet(), labels.keySet());
        List<ArgumentSpec> arguments = written.arguments().stream()
                .map(argument -> argument.described(
                        units.getOrDefault(argument.name(), ""),
                        flows.getOrDefault(argument.name(), FlowStep.NONE),
                        labels.getOrDefault(argument.name(), Map.of())))
                .toList();
        return new ProbeSpec(
                written.kind(),
                written.text(),
                written.module(),
                written.function(),
                written.isGlob(),
                written.offsetBytes(),
                arguments,
                written.result()
                        .map(result ->
                                new ReturnSpec(result.type(), entry.returnUnit() == null ? "" : entry.returnUnit())),
                Optional.ofNullable(entry.when()).map(text -> ArgumentCondition.parse(text, written.kind())),
                written.stack(),
                written.counter(),
                written.pastCheck(),
                entry.name() == null ? "" : entry.name(),
                category,
                entry.optional() == null || entry.optional());
    }

    @SafeVarargs
    private static void rejectUnknownNames(ProbeSpec spec, Set<String>... described) {
        Set<String> unknown = new LinkedHashSet<>();
        for (Set<String> names : described) {
            unknown.addAll(names);
        }
        spec.arguments().forEach(argument -> unknown.remove(argument.name()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("the preset describes " + unknown + ", no arguments of " + spec.text());
        }
    }

    private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
        return map == null ? Map.of() : map;
    }
}
