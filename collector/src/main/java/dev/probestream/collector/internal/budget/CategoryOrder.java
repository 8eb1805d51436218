package dev.probestream.collector.internal.budget;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The order in which categories give way to a budget: the details of the kernel first, requests and the user's own last. */
public final class CategoryOrder {
    /** Those not named here come before {@code node-gc}. */
    private static final List<String> FIRST = List.of(
            "sched", "offcpu", "syscalls", "node-callers", "node-pool", "node-fs", "node-dns", "node-net", "jvm-methods");

    private static final List<String> LAST = List.of("node-gc", "node-loop", "go-http", "node-http", "user");

    /** They are hit seldom, or as often as was asked for: never taken away. */
    private static final List<String> ALWAYS = List.of("profile", "node-crash");

    private CategoryOrder() {}

    /** These categories, the one that gives way first at the beginning, without those that never do. */
    public static List<String> of(Collection<String> categories) {
        List<String> sorted = new ArrayList<>(categories);
        sorted.removeAll(ALWAYS);
        sorted.sort(Comparator.comparingInt(CategoryOrder::place));
        return sorted;
    }

    private static int place(String category) {
        if (FIRST.contains(category)) {
            return FIRST.indexOf(category) - FIRST.size();
        }
        return 1 + LAST.indexOf(category);
    }
}
