package dev.probestream.collector.internal.budget;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Finds the categories that can only be watched together. */
public final class CategoryGroups {
    private CategoryGroups() {}

    /**
     * The groups; most categories are alone in theirs.
     *
     * @param together categories whose open spans are in one map, by map
     */
    public static List<Set<String>> of(Collection<String> categories, Collection<Set<String>> together) {
        List<Set<String>> groups = new ArrayList<>();
        categories.forEach(category -> groups.add(new TreeSet<>(Set.of(category))));
        for (Set<String> these : together) {
            Set<String> joined = new TreeSet<>();
            groups.stream()
                    .filter(group -> group.stream().anyMatch(these::contains))
                    .forEach(joined::addAll);
            if (!joined.isEmpty()) {
                groups.removeIf(joined::containsAll);
                groups.add(joined);
            }
        }
        return groups;
    }

    /** What a group is called. */
    public static String name(Set<String> group) {
        return new TreeSet<>(group).first();
    }
}
