package dev.probestream.collector;

import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.UsdtPair;
import dev.probestream.collector.program.NumberedProbe;
import dev.probestream.collector.resolve.UprobeLocation;
import java.util.Comparator;
import java.util.List;

/**
 * A probe that was found and has its id.
 *
 * @param numbered for the planner
 * @param name what a person calls it
 * @param module the file's path as the process sees it, or "kernel"
 * @param places where it goes, of a pair the sites of its end last; empty for what is not in a user function
 */
record FoundProbe(NumberedProbe numbered, String name, String module, List<Place> places) {
    /**
     * @param scopePid the process the uprobe is limited to, or {@code Uprobes.EVERY_PROCESS}
     */
    record Place(int scopePid, UprobeLocation location) {}

    FoundProbe {
        ProbeSpec spec = numbered.spec();
        places = places.stream()
                .sorted(Comparator.comparing(place -> isOfEnd(spec, place)))
                .toList();
    }

    /** A USDT probe, or a pair of them, whose spec says what is recorded. */
    static NumberedProbe usdt(int probeId, ProbeSpec recorded, List<Place> places) {
        return NumberedProbe.usdt(
                probeId, recorded, arguments(recorded, places, false), arguments(recorded, places, true));
    }

    /** The arguments at each of a USDT probe's sites; of a pair at those of its beginning or at those of its end. */
    static List<List<UsdtArgument>> arguments(ProbeSpec spec, List<Place> places, boolean ofEnd) {
        return places.stream()
                .filter(place -> isOfEnd(spec, place) == ofEnd)
                .map(place -> place.location().arguments())
                .toList();
    }

    /** Whether it is a place at which a pair ends. */
    static boolean isOfEnd(ProbeSpec spec, Place place) {
        return spec.kind() == ProbeKind.USDTSPAN
                && place.location().symbol().equals(UsdtPair.of(spec).end());
    }

    /** The same probe at other places, recorded as it is at these. */
    FoundProbe at(List<Place> others) {
        NumberedProbe same =
                numbered.spec().kind().isUsdt() ? usdt(numbered.probeId(), numbered.spec(), others) : numbered;
        return new FoundProbe(same, name, module, others);
    }

    int probeId() {
        return numbered.probeId();
    }
}
