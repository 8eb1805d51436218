package dev.probestream.collector.probe.provider;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads a known provider's YAML file. What is wrong in one is an error of ours, not of the user. */
final class ProviderReader {
    private static final ObjectMapper YAML =
            new ObjectMapper(new YAMLFactory()).enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** In a file: a number as in the note of the probe. */
    private static final String NUMBER = "number";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Pattern TYPE = Pattern.compile("[su](?:8|16|32|64)|ptr|bool|str(?:\\[arg[1-9]\\d?\\])?");

    /**
     * A provider file.
     *
     * @param probes by name: the type of each argument by its name, in order
     */
    record ProviderFile(Map<String, LinkedHashMap<String, String>> probes) {}

    private ProviderReader() {}

    static Map<String, List<KnownArgument>> read(String name) {
        String resource = "/dev/probestream/providers/" + name + ".yaml";
        try (InputStream in = ProviderReader.class.getResourceAsStream(resource)) {
            ProviderFile file = YAML.readValue(Objects.requireNonNull(in, resource), ProviderFile.class);
            Map<String, List<KnownArgument>> probes = new TreeMap<>();
            file.probes().forEach((probe, arguments) -> probes.put(probe, arguments(probe, arguments)));
            return probes;
        } catch (IOException e) {
            throw new UncheckedIOException("read the provider " + resource, e);
        }
    }

    private static List<KnownArgument> arguments(String probe, Map<String, String> types) {
        return types.entrySet().stream()
                .map(argument -> argument(probe, argument.getKey(), argument.getValue()))
                .toList();
    }

    private static KnownArgument argument(String probe, String name, String type) {
        if (!NAME.matcher(name).matches()
                || !(type.equals(NUMBER) || TYPE.matcher(type).matches())) {
            throw new IllegalArgumentException(
                    "the provider's probe " + probe + " has an argument " + name + ": " + type);
        }
        return new KnownArgument(name, type.equals(NUMBER) ? "" : type);
    }
}
