package dev.probestream.query.report.comparison;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The changes as findings: one for each subject, the worst first. */
final class ChangeFindings {
    static final String RULE = "changed";

    private static final int MOST = 12;

    /** It is HIGH if it became so many times more, at least, ... */
    private static final double HIGH_FACTOR = 1.5;

    /** ... and by so much: milliseconds, per cent of all, calls per request, milliseconds of CPU time per second. */
    private static final double HIGH_MS = 20;

    private static final double HIGH_PERCENT = 5;
    private static final double HIGH_CALLS = 3;
    private static final double HIGH_MS_PER_SECOND = 200;

    private ChangeFindings() {}

    /** @param sectionIds those that can be linked to */
    static List<Finding> of(Changes changes, Set<String> sectionIds) {
        if (changes.changes().isEmpty()) {
            return List.of(new Finding(
                    RULE,
                    Severity.NOTE,
                    changes.compared() == 0 ? "Nothing could be compared." : "Nothing changed.",
                    changes.compared() + " measures were compared. " + ChangeWords.seen(changes) + suffix(changes),
                    List.of(link())));
        }
        Map<String, List<Change>> bySubject = new LinkedHashMap<>();
        for (Change change : changes.changes()) {
            bySubject
                    .computeIfAbsent(change.key().area() + " " + change.key().subject(), key -> new ArrayList<>())
                    .add(change);
        }
        // A route with the function that makes it slower is cause and consequence in one.
        List<Finding> withFunction = new ArrayList<>();
        List<Finding> others = new ArrayList<>();
        for (List<Change> same : bySubject.values()) {
            Optional<FunctionGrowth> function = same.stream()
                    .flatMap(change -> changes.function(change).stream())
                    .findFirst();
            (function.isPresent() ? withFunction : others).add(finding(same, function, changes, sectionIds));
        }
        List<Finding> findings = new ArrayList<>(withFunction);
        findings.addAll(others);
        findings.sort(Comparator.comparing(Finding::severity));
        return findings.subList(0, Math.min(MOST, findings.size()));
    }

    private static Finding finding(
            List<Change> same, Optional<FunctionGrowth> function, Changes changes, Set<String> sectionIds) {
        Severity severity = same.stream()
                .map(change -> severity(change, changes))
                .min(Comparator.naturalOrder())
                .orElseThrow();
        // The worst measure first; of equal ones a median before a p99, which varies more.
        List<Change> ordered = same.stream()
                .sorted(Comparator.comparing((Change change) -> severity(change, changes))
                        .thenComparing(change -> change.key().measure()))
                .toList();
        String text = ordered.stream()
                .map(change -> ChangeWords.sentence(change) + ", " + ChangeWords.certainty(change) + ".")
                .collect(Collectors.joining(" "));
        List<Evidence> links = links(same).stream()
                .filter(link -> sectionIds.contains(link.sectionId()))
                .toList();
        String cause = function.map(growth -> "; " + growth.words()).orElse("");
        String remedy = function.map(
                        growth -> "Look at what was changed in " + growth.function() + ", or in what it is given.")
                .orElse("");
        return new Finding(
                RULE,
                severity,
                ChangeWords.sentence(ordered.get(0)) + cause + ".",
                text + suffix(changes),
                links,
                remedy,
                false);
    }

    private static String suffix(Changes changes) {
        return changes.conditions().isEmpty() ? "" : " " + String.join(" ", changes.conditions());
    }

    static Severity severity(Change change, Changes changes) {
        if (!change.isWorse()) {
            return Severity.NOTE;
        }
        double difference = change.after() - change.before();
        double perSecond = rate(changes.after());
        boolean isMuch = switch (change.key().measure()) {
            case RATE, P95, P99 -> false;
            case CALLS -> difference >= HIGH_CALLS;
            case ERRORS -> difference >= HIGH_PERCENT;
            case MEDIAN, CPU_MEDIAN -> difference >= HIGH_MS;
            case TIME_PER_REQUEST -> difference * perSecond >= HIGH_MS_PER_SECOND;
            case TIME_PER_SECOND -> difference >= HIGH_MS_PER_SECOND;
        };
        return isMuch && change.leastFactor() >= HIGH_FACTOR ? Severity.HIGH : Severity.MEDIUM;
    }

    /** Served requests per second. */
    private static double rate(Measured side) {
        double seconds = Arrays.stream(side.seconds()).sum();
        return Arrays.stream(side.served()).sum() / seconds;
    }

    private static Evidence link() {
        return new Evidence("what changed", ChangesSection.ID);
    }

    private static List<Evidence> links(List<Change> same) {
        Evidence own = switch (same.get(0).key().area()) {
            case OUTGOING, STATEMENTS -> EvidenceLinks.OUTGOING;
            case CPU -> EvidenceLinks.CPU;
            case POOL -> EvidenceLinks.POOL;
            case GC -> EvidenceLinks.GC;
            case LOOP -> EvidenceLinks.LOOP;
            case REQUESTS -> EvidenceLinks.REQUESTS;
        };
        return List.of(link(), own);
    }
}
