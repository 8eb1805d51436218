package dev.probestream.collector.catalog;

import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.collector.probe.KnownArgument;
import java.util.List;

/**
 * A USDT probe of one file.
 *
 * @param sites at least one, in the order of the file; each has its own places for the arguments
 * @param known what is known of the arguments beyond the notes, in order; may be fewer or more than they are
 */
public record UsdtProbe(
        CatalogFile file, String provider, String name, List<UsdtNote> sites, List<KnownArgument> known) {
    public UsdtProbe {
        sites = List.copyOf(sites);
        known = List.copyOf(known);
    }
}
