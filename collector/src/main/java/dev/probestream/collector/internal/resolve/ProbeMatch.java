package dev.probestream.collector.internal.resolve;

import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;

/**
 * What a spec matches in the files of one process: one name, and its locations (overloads of a C++ function, instances of a
 * template, static functions of one name in several source files).
 *
 * @param spec as asked for
 * @param name the function; of a C++ function the qualified name, without arguments
 * @param module the file's path, as the process sees it
 * @param locations at least one, each instruction once
 * @param convention how the function gets its arguments
 */
public record ProbeMatch(
        ProbeSpec spec, String name, String module, List<UprobeLocation> locations, CallingConvention convention) {
    public ProbeMatch {
        locations = List.copyOf(locations);
    }

    /** A match whose arguments are not those of a function, or of one in C. */
    ProbeMatch(ProbeSpec spec, String name, String module, List<UprobeLocation> locations) {
        this(spec, name, module, locations, CallingConvention.C);
    }
}
