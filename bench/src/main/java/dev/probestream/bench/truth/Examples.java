package dev.probestream.bench.truth;

import dev.probestream.bench.measure.Grid;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Some of the wrong comparisons, one line each: what they are of, and times from the hit on in ms. */
final class Examples {
    private static final int TEXT = 60;

    private Examples() {}

    /** @param most of each application and kind */
    static Grid grid(List<ComparedOrder> comparisons, int most) {
        Grid grid = new Grid(
                "wrong in",
                "what",
                "at ns",
                "event",
                "request",
                "given to",
                "which began",
                "and ended",
                "answered before",
                "source");
        Map<String, Integer> shown = new HashMap<>();
        for (ComparedOrder each : comparisons) {
            String label = each.ordered().application() + " " + each.kind();
            if (each.verdict() == Verdict.WRONG && shown.merge(label, 1, Integer::sum) <= most) {
                grid.add(row(label, each.ordered(), Objects.requireNonNull(each.hit()), each.kind()));
            }
        }
        return grid;
    }

    private static List<String> row(String label, LoggedOrder ordered, OwnedHit hit, String kind) {
        boolean isWaited = kind.equals(ComparedOrder.WAITED);
        OwnedHit.Owner owner = isWaited ? null : hit.owner();
        return List.of(
                label,
                isWaited
                        ? "waited " + ms(Objects.requireNonNull(hit.waitedNs())) + ", true "
                                + ms(hit.atNs() - ordered.atNs())
                        : shortened(hit.what()),
                Long.toString(hit.atNs()),
                Long.toString(hit.sequence()),
                ordered.request(),
                owner != null ? String.valueOf(owner.url()) : "",
                owner != null ? ms(owner.beginNs() - hit.atNs()) : "",
                owner != null ? ms(owner.endNs() - hit.atNs()) : "",
                owner != null ? (owner.endNs() < hit.atNs() ? "yes" : "no") : "",
                hit.source());
    }

    private static String shortened(String text) {
        return text.length() <= TEXT ? text : "…" + text.substring(text.length() - TEXT);
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%.3f ms", ns / 1e6);
    }
}
