package dev.probestream.collector.internal.budget;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** The order in which categories give way to a budget: the details of the kernel first, requests and the user's own last. */
public final class CategoryOrder {
    /** Those not named here come before {@code node-gc}. */
    private static final List<String> FIRST = List.of(
            "sched",
            "offcpu",
            "syscalls",
            "node-callers",
            "node-pool",
            "node-fs",
            "node-dns",
            "node-net",
            "jvm-methods");

    private static final List<String> LAST = List.of(
            "node-gc", "node-loop", "node-turns", "go-http", "node-http2", "node-requests", "node-http", "user");

    /** They are hit rarely, or as often as requested: never removed. */
    private static final List<String> ALWAYS = List.of("profile", "node-crash", "process");

    private CategoryOrder() {}

    /**
     * The names of these groups, the one that gives way first at the beginning, without those that never do. A group has the
     * place of that of its categories which gives way last.
     */
    public static List<String> of(Collection<Set<String>> groups) {
        return groups.stream()
                .filter(group -> group.stream().noneMatch(ALWAYS::contains))
                .sorted(Comparator.comparingInt(group ->
                        group.stream().mapToInt(CategoryOrder::place).max().orElse(0)))
                .map(CategoryGroups::name)
                .toList();
    }

    private static int place(String category) {
        if (FIRST.contains(category)) {
            return FIRST.indexOf(category) - FIRST.size();
        }
        return 1 + LAST.indexOf(category);
    }
}
