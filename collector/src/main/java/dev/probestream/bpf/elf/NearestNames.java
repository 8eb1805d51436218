package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The names most like one that does not exist: few typing mistakes apart (case aside), or one within the other. C++
 * functions are compared, and named, by their qualified name or the last component of it. Sees every name of a file
 * once, as a matcher that matches none.
 */
final class NearestNames implements NameMatcher {
    private static final int NOT_NEAR = Integer.MAX_VALUE;
    private static final int MISTAKE = 4;
    private static final int CONTAINED = 3;
    private static final int OTHER_SCOPE = 5;
    /** Longer names are instances of templates: nobody types them. */
    private static final int MAX_NAME_BYTES = 200;

    private record Candidate(String name, int distance) {}

    private static final Comparator<Candidate> NEAREST_FIRST = Comparator.comparingInt(Candidate::distance)
            .thenComparing(candidate -> candidate.name().length())
            .thenComparing(Candidate::name);

    private final String wanted;
    private final String wantedLast;
    private final boolean isQualified;
    private final int count;
    private final List<Candidate> nearest = new ArrayList<>();
    private final MangledPath path = new MangledPath();
    private final EditDistance editDistance = new EditDistance();

    NearestNames(String wanted, int count) {
        this.wanted = wanted.toLowerCase(Locale.ROOT);
        this.wantedLast = lastComponent(this.wanted);
        this.isQualified = wanted.contains("::");
        this.count = count;
    }

    List<String> nearestFirst() {
        return nearest.stream().map(Candidate::name).toList();
    }

    @Override
    public boolean matches(byte[] strings, int start, int end) {
        if (end - start > MAX_NAME_BYTES || end == start) {
            return false;
        }
        boolean isCxx = path.walk(strings, start, end);
        String name = isCxx ? path.toString() : text(strings, start, end);
        String lower = name.toLowerCase(Locale.ROOT);
        int distance = isQualified || !isCxx ? distance(wanted, lower) : distance(wanted, lastComponent(lower));
        if (isCxx && isQualified && lastComponent(lower).equals(wantedLast)) {
            distance = Math.min(distance, OTHER_SCOPE);
        }
        if (distance != NOT_NEAR) {
            offer(new Candidate(name, distance));
        }
        return false;
    }

    private int distance(String one, String other) {
        int shorter = Math.min(one.length(), other.length());
        int longer = Math.max(one.length(), other.length());
        int distance = NOT_NEAR;
        if (shorter >= 3 && (one.contains(other) || other.contains(one))) {
            distance = longer == shorter ? 0 : CONTAINED + longer - shorter;
        }
        int mistakes = editDistance.atMost(Math.max(1, Math.min(one.length() / 3, 6)), one, other);
        return mistakes < 0 ? distance : Math.min(distance, mistakes * MISTAKE);
    }

    private void offer(Candidate candidate) {
        if (nearest.size() == count && NEAREST_FIRST.compare(candidate, nearest.get(count - 1)) >= 0) {
            return;
        }
        if (nearest.stream().anyMatch(other -> other.name().equals(candidate.name()))) {
            return;
        }
        nearest.add(candidate);
        nearest.sort(NEAREST_FIRST);
        if (nearest.size() > count) {
            nearest.remove(count);
        }
    }

    private static String lastComponent(String name) {
        return name.substring(name.lastIndexOf("::") + (name.contains("::") ? 2 : 1));
    }

    private static String text(byte[] strings, int start, int end) {
        return new String(strings, start, end - start, UTF_8);
    }
}
