package dev.probestream.collector.internal.program;

import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;

/**
 * A probe and how its samples are read.
 *
 * @param probeId its id in the capture
 * @param spec as asked for
 * @param name as it is shown
 * @param module the file's path as the process sees it, or {@link dev.probestream.collector.internal.resolve.ResolvedProbe#KERNEL}
 * @param arguments what is recorded, in order, every type known
 * @param layout of its samples
 */
public record PlannedProbe(
        int probeId, ProbeSpec spec, String name, String module, List<ArgumentSpec> arguments, EventLayout layout) {
    public PlannedProbe {
        arguments = List.copyOf(arguments);
    }
}
