package dev.probestream.collector;

import dev.probestream.collector.program.NumberedProbe;
import dev.probestream.collector.resolve.UprobeLocation;
import java.util.List;

/**
 * A probe that was found and has its id.
 *
 * @param numbered for the planner
 * @param name what a person calls it
 * @param module the file's path as the process sees it, or "kernel"
 * @param places where it goes; empty for what is not in a user function
 */
record FoundProbe(NumberedProbe numbered, String name, String module, List<Place> places) {
    /**
     * @param scopePid the process the uprobe is limited to, or {@code Uprobes.EVERY_PROCESS}
     */
    record Place(int scopePid, UprobeLocation location) {}

    FoundProbe {
        places = List.copyOf(places);
    }

    int probeId() {
        return numbered.probeId();
    }
}
