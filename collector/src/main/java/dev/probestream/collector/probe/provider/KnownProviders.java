package dev.probestream.collector.probe.provider;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The USDT providers whose arguments have names here: each is a YAML file among this module's resources, {@code
 * dev/probestream/providers/PROVIDER.yaml}. A program may have fewer or more arguments than are known, as its version
 * is older or newer: who uses the names takes as many as the probe has.
 */
public final class KnownProviders {
    private static final List<String> NAMES = List.of(
            "hotspot", "hotspot_jni", "libc", "libstdcxx", "mysql", "node", "postgresql", "python", "rtld", "ruby");

    /** By provider, by probe. */
    private final Map<String, Map<String, List<KnownArgument>>> providers;

    private KnownProviders(Map<String, Map<String, List<KnownArgument>>> providers) {
        this.providers = providers;
    }

    /**
     * Reads all files.
     *
     * @return all providers that are known
     */
    public static KnownProviders load() {
        Map<String, Map<String, List<KnownArgument>>> providers = new TreeMap<>();
        for (String name : NAMES) {
            providers.put(name, ProviderReader.read(name));
        }
        return new KnownProviders(providers);
    }

    /**
     * {@return the arguments of a probe, in order; empty for a probe that is not known}
     *
     * @param provider as in the note
     * @param name with double underscores, as notes have it: {@code http__server__request}
     */
    public Optional<List<KnownArgument>> arguments(String provider, String name) {
        return Optional.ofNullable(providers.getOrDefault(provider, Map.of()).get(name));
    }

    /**
     * {@return the probes of a provider whose arguments are known}
     *
     * @param provider as in the note
     */
    public Set<String> probes(String provider) {
        return providers.getOrDefault(provider, Map.of()).keySet();
    }
}
