package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.sourcemap.SourceLocation;
import dev.probestream.collector.internal.sourcemap.SourceMaps;
import dev.probestream.collector.internal.v8.function.Script;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Where the lines of a process's scripts come from, by their source maps. */
final class ScriptSources {
    /** A data URL holds the whole map. */
    private static final int MAX_URL_CHARACTERS = 8 << 20;

    private final SourceMaps maps;
    private final Optional<SourceMaps.Origin> origin;
    /** A long URL is read once. */
    private final Map<Script, String> mappingUrls = new HashMap<>();

    /** @param origin of the process; empty if its files cannot be read */
    ScriptSources(SourceMaps maps, Optional<SourceMaps.Origin> origin) {
        this.maps = maps;
        this.origin = origin;
    }

    /** Empty if the script has no source map, or one without this place. */
    Optional<SourceLocation> locate(Script script, int line, int column) {
        if (origin.isEmpty() || line <= 0 || script.name().startsWith("node:")) {
            return Optional.empty();
        }
        String url = mappingUrls.computeIfAbsent(
                script, unknown -> unknown.sourceMappingUrl(MAX_URL_CHARACTERS).orElse(""));
        return maps.locate(origin.get(), script.name(), url, line, column);
    }

    void forget() {
        mappingUrls.clear();
    }
}
