package dev.probestream.collector.resolve;

import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.code.CallingConvention;
import java.util.List;

/**
 * A probe in user space, found: one name, and the places it stands for (overloads of a C++ function, instances of a
 * template, static functions of one name in several source files).
 *
 * @param spec what was asked
 * @param name the function; of a C++ function the qualified name, without arguments
 * @param module the file's path, as the process sees it
 * @param locations at least one; no two at the same place
 * @param convention how the function gets its arguments
 */
public record ResolvedProbe(
        ProbeSpec spec, String name, String module, List<UprobeLocation> locations, CallingConvention convention) {
    public ResolvedProbe {
        locations = List.copyOf(locations);
    }

    /** A probe whose arguments are not those of a function, or of one in C. */
    public ResolvedProbe(ProbeSpec spec, String name, String module, List<UprobeLocation> locations) {
        this(spec, name, module, locations, CallingConvention.C);
    }
}
