package dev.probestream.collector.probe;

import java.util.List;

/**
 * The two probes of a {@link ProbeKind#USDTSPAN}.
 *
 * @param begin {@code PROVIDER:NAME}
 * @param end likewise, of the same provider
 */
public record UsdtPair(String begin, String end) {
    private static final List<String> BEGINNINGS = List.of("__begin", "__start", "__entry", "__enter");

    /**
     * {@return the pair that a spec of that kind has for its function}
     *
     * @param spec of a pair
     */
    public static UsdtPair of(ProbeSpec spec) {
        String function = spec.function();
        int comma = function.indexOf(',');
        int colon = function.indexOf(':');
        return new UsdtPair(
                function.substring(0, comma), function.substring(0, colon + 1) + function.substring(comma + 1));
    }

    /** {@return what the time between the two is called: {@code hotspot:gc} for {@code gc__begin}} */
    public String name() {
        return BEGINNINGS.stream()
                .filter(begin::endsWith)
                .findFirst()
                .map(suffix -> begin.substring(0, begin.length() - suffix.length()))
                .orElse(begin);
    }
}
