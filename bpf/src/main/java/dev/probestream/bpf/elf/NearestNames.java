package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The names most similar to one that does not exist: a few typing errors apart (ignoring case), or one contained in the
 * other. C++ functions are compared, and named, by their qualified name, or by the last component of it where the
 * wanted name has no {@code ::}. Implemented as a matcher that collects names and matches none.
 */
public final class NearestNames implements FunctionNames.Matcher {
    private static final int NOT_NEAR = Integer.MAX_VALUE;
    /** The distance of one typing error, of containment, and of another namespace or class. */
    private static final int MISTAKE = 4;

    private static final int CONTAINED = 3;
    private static final int OTHER_SCOPE = 5;
    private static final int MAX_MISTAKES = 6;
    /** Longer names are instances of templates, which users do not type. */
    private static final int MAX_NAME_BYTES = 200;

    private record Candidate(String name, int distance) {}

    private static final Comparator<Candidate> NEAREST_FIRST = Comparator.comparingInt(Candidate::distance)
            .thenComparing(candidate -> candidate.name().length())
            .thenComparing(Candidate::name);

    private final byte[] wanted;
    private final byte[] wantedLast;
    private final boolean isQualified;
    private final int count;
    private final int maxMistakes;
    private final List<Candidate> nearest = new ArrayList<>();
    private final MangledPath path = new MangledPath();
    private final EditDistance editDistance = new EditDistance();
    private final LowerCase text = new LowerCase(MAX_NAME_BYTES);

    NearestNames(String wanted, int count) {
        String lower = wanted.toLowerCase(Locale.ROOT);
        this.wanted = lower.getBytes(UTF_8);
        this.isQualified = lower.contains("::");
        this.wantedLast =
                lower.substring(isQualified ? lower.lastIndexOf("::") + 2 : 0).getBytes(UTF_8);
        this.count = count;
        this.maxMistakes = Math.max(1, Math.min(this.wanted.length / 3, MAX_MISTAKES));
    }

    /**
     * {@return at most {@code count} of the names that are similar to {@code wanted}, the most similar first}
     *
     * @param names among which to look
     * @param wanted the name that is missing
     * @param count how many at most
     */
    public static List<String> among(Collection<String> names, String wanted, int count) {
        NearestNames nearest = new NearestNames(wanted, count);
        names.forEach(name -> nearest.matches((name + '\0').getBytes(UTF_8), 0));
        return nearest.nearestFirst();
    }

    List<String> nearestFirst() {
        return nearest.stream().map(Candidate::name).toList();
    }

    @Override
    public boolean matches(byte[] strings, int start) {
        boolean isCxx = path.walk(strings, start, strings.length);
        text.clear();
        if (!isCxx) {
            text.append(strings, start, SymbolTable.nameEnd(strings, start));
        } else if (isQualified) {
            path.appendTo(text);
        } else {
            path.appendLastTo(text);
        }
        int distance = distance();
        if (isCxx && isQualified && distance > OTHER_SCOPE && text.endsWith(wantedLast)) {
            distance = OTHER_SCOPE;
        }
        if (distance != NOT_NEAR && !isWorst(distance)) {
            offer(new Candidate(isCxx ? path.toString() : nameAt(strings, start), distance));
        }
        return false;
    }

    private int distance() {
        if (text.isTooLong() || text.length() == 0) {
            return NOT_NEAR;
        }
        int distance = NOT_NEAR;
        if (Math.min(text.length(), wanted.length) >= 3 && text.containsOrIsIn(wanted)) {
            int more = Math.abs(text.length() - wanted.length);
            distance = more == 0 ? 0 : CONTAINED + more;
        }
        int mistakes = editDistance.atMost(maxMistakes, wanted, wanted.length, text.bytes(), text.length());
        return mistakes < 0 ? distance : Math.min(distance, mistakes * MISTAKE);
    }

    private boolean isWorst(int distance) {
        return nearest.size() == count && distance > nearest.get(count - 1).distance();
    }

    private void offer(Candidate candidate) {
        if (nearest.stream().anyMatch(other -> other.name().equals(candidate.name()))) {
            return;
        }
        nearest.add(candidate);
        nearest.sort(NEAREST_FIRST);
        if (nearest.size() > count) {
            nearest.remove(count);
        }
    }

    private static String nameAt(byte[] strings, int start) {
        return new String(strings, start, SymbolTable.nameEnd(strings, start) - start, UTF_8);
    }
}
