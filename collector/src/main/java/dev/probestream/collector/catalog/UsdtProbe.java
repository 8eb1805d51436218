package dev.probestream.collector.catalog;

import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.collector.probe.provider.KnownArgument;
import java.util.List;

/**
 * A USDT probe of one file.
 *
 * @param file the file
 * @param provider as in its notes
 * @param name as in its notes, with double underscores
 * @param sites the attach points: at least one, in the order of the file; each has its own argument locations
 * @param known names and types of the arguments that are known beyond the notes, in order; may be fewer or more
 */
public record UsdtProbe(
        CatalogFile file, String provider, String name, List<UsdtNote> sites, List<KnownArgument> known) {
    /** Copies the list. */
    public UsdtProbe {
        sites = List.copyOf(sites);
        known = List.copyOf(known);
    }
}
