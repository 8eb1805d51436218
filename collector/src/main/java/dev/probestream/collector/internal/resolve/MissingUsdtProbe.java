package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.NearestNames;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.UsdtPair;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Explains why no USDT probe of a name was found: where we looked, what is there, and what is near. */
final class MissingUsdtProbe {
    private static final int NEAREST = 5;
    private static final int MAX_NAMED = 8;

    private final String qualifiedName;
    private final boolean isGlob;
    private final UsdtFinder finder;

    /** @param qualifiedName {@code PROVIDER:NAME}, each perhaps a glob */
    MissingUsdtProbe(String qualifiedName, boolean isGlob, UsdtFinder finder) {
        this.qualifiedName = qualifiedName;
        this.isGlob = isGlob;
        this.finder = finder;
    }

    /** Explains why no file has both probes of a pair: which it has, and what is near the other. */
    static ResolveException ofPair(UsdtPair pair, UsdtFinder finder, String what, String listing) {
        List<String> withBegin = finder.filesWith(pair.begin());
        List<String> withEnd = finder.filesWith(pair.end());
        String both = what + ": no file has both " + pair.begin() + " and " + pair.end() + ": ";
        if (!withBegin.isEmpty() && !withEnd.isEmpty()) {
            return new ResolveException(
                    Reason.NO_FUNCTION,
                    both + "the first is in " + String.join(", ", withBegin) + ", the other in "
                            + String.join(", ", withEnd));
        }
        boolean isBeginMissing = withBegin.isEmpty();
        List<String> withOther = isBeginMissing ? withEnd : withBegin;
        String missing = isBeginMissing ? pair.begin() : pair.end();
        String there = withOther.isEmpty() ? "" : (isBeginMissing ? pair.end() : pair.begin()) + " is there; ";
        return new MissingUsdtProbe(missing, false, finder).explain(both + there + "looking for " + missing, listing);
    }

    /**
     * @param what was to be found where: "look for ... in ..."
     * @param listing how to see what there is
     */
    ResolveException explain(String what, String listing) {
        Reason reason = isProviderKnown() ? Reason.NO_FUNCTION : Reason.NO_PROVIDER;
        return new ResolveException(reason, what + ": " + found() + advice() + " (" + listing + ")");
    }

    /** Whether a file has other probes of this provider, so that the name is probably misspelled. */
    private boolean isProviderKnown() {
        String provider = qualifiedName.substring(0, qualifiedName.indexOf(':') + 1);
        boolean isAny = provider.contains("*") || provider.contains("?");
        return isAny || finder.names().stream().anyMatch(name -> name.startsWith(provider));
    }

    /** What there is instead, in words that follow a colon. */
    String found() {
        Set<String> names = finder.names();
        String hidden = finder.unopenedCount() == 0
                ? ""
                : "; " + finder.unopenedCount() + " more were deleted or replaced, and only root can open them";
        String looked = "looked in " + (finder.fileCount() == 1 ? "1 file" : finder.fileCount() + " files");
        if (names.isEmpty()) {
            return looked + hidden + ": no USDT probes at all";
        }
        return looked + hidden + " with " + names.size() + " USDT probes, of which none "
                + (isGlob ? "matches " : "is called ") + shown();
    }

    /** What is near, after a semicolon; "" if nothing is. */
    String advice() {
        List<String> nearest = nearest();
        if (!nearest.isEmpty()) {
            return "; nearest: " + String.join(", ", nearest);
        }
        String provider = qualifiedName.substring(0, qualifiedName.indexOf(':') + 1);
        List<String> ofProvider = finder.names().stream()
                .filter(name -> name.startsWith(provider))
                .toList();
        if (provider.isEmpty() || ofProvider.isEmpty()) {
            return "";
        }
        return "; of that provider there are "
                + String.join(", ", ofProvider.subList(0, Math.min(MAX_NAMED, ofProvider.size())))
                + (ofProvider.size() > MAX_NAMED ? " ..." : "");
    }

    /** A glob for any provider was not the user's word. */
    private String shown() {
        return qualifiedName.startsWith("*:") ? qualifiedName.substring(2) : qualifiedName;
    }

    private List<String> nearest() {
        Set<String> names = finder.names();
        String text = shown().replace("*", "");
        if (!qualifiedName.startsWith("*:")) {
            return NearestNames.among(names, text, NEAREST);
        }
        Set<String> withoutProvider = new LinkedHashSet<>();
        names.forEach(name -> withoutProvider.add(name.substring(name.indexOf(':') + 1)));
        return NearestNames.among(withoutProvider, text, NEAREST).stream()
                .flatMap(near -> names.stream().filter(name -> name.endsWith(":" + near)))
                .limit(NEAREST)
                .toList();
    }
}
