package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * A finding and its weight among the findings of the same severity.
 *
 * @param weight time that was lost by it
 * @param captureId of the process
 * @param pid of the process; {@link #NO_PROCESS} = it is of no single one
 * @param isOwnCause whether it holds even if another finding explains what takes long in its process
 * @param explained what it is the cause of
 */
public record WeightedFinding(
        Finding finding, double weight, long captureId, long pid, boolean isOwnCause, Explained explained) {
    public static final long NO_PROCESS = -1;

    /**
     * The rules whose findings of the same process it is the cause of, and how it is named there.
     *
     * @param cause "the CPU limit"
     * @param meanwhile "the process was throttled meanwhile"
     */
    public record Explained(Set<String> rules, String cause, String meanwhile) {
        static final Explained NOTHING = new Explained(Set.of(), "", "");
    }

    public static final Comparator<WeightedFinding> WORST_FIRST = Comparator.comparing(
                    (WeightedFinding weighted) -> weighted.finding().severity())
            .thenComparing(Comparator.comparingDouble(WeightedFinding::weight).reversed());

    /** Of no single process. */
    public WeightedFinding(Finding finding, double weight) {
        this(finding, weight, NO_PROCESS, NO_PROCESS, false, Explained.NOTHING);
    }

    /** Of high severity, or of medium. */
    public static WeightedFinding of(
            String rule, boolean isHigh, double weight, String title, String text, List<Evidence> evidence) {
        return new WeightedFinding(
                new Finding(rule, isHigh ? Severity.HIGH : Severity.MEDIUM, title, text, evidence), weight);
    }

    /** The same, of the process that {@code row} has in {@code capture_id} and {@code pid}. */
    public WeightedFinding ofProcess(ResultRow row) {
        return new WeightedFinding(finding, weight, row.count("capture_id"), row.count("pid"), isOwnCause, explained);
    }

    /** The same, with what to do about it. */
    public WeightedFinding withRemedy(String remedy) {
        Finding remedied = new Finding(
                finding.rule(),
                finding.severity(),
                finding.title(),
                finding.text(),
                finding.evidence(),
                remedy,
                finding.isConsequence());
        return new WeightedFinding(remedied, weight, captureId, pid, isOwnCause, explained);
    }

    /** The same; no other finding explains it. */
    WeightedFinding asOwnCause() {
        return new WeightedFinding(finding, weight, captureId, pid, true, explained);
    }

    /** The same, as the cause of findings of {@code rules} in its process, or of a part of what they are about. */
    public WeightedFinding explaining(Set<String> rules, String cause, String meanwhile) {
        return new WeightedFinding(finding, weight, captureId, pid, isOwnCause, new Explained(rules, cause, meanwhile));
    }

    boolean explains(WeightedFinding other) {
        return pid != NO_PROCESS
                && captureId == other.captureId
                && pid == other.pid
                && !other.isOwnCause
                && explained.rules().contains(other.finding.rule());
    }

    /** The last sentence of what it explains. */
    String explanation() {
        return " A consequence of " + explained.cause() + " (" + finding.rule() + "), or prolonged by it: "
                + explained.meanwhile() + ".";
    }

    /** The same, as the consequence of another finding. */
    public WeightedFinding asConsequence() {
        return consequence(finding.severity(), "", weight);
    }

    /** The same as what follows from another finding, in the words of {@code mark}: of medium severity at most, and the last of it. */
    public WeightedFinding asConsequence(String mark) {
        Severity severity = finding.severity() == Severity.HIGH ? Severity.MEDIUM : finding.severity();
        return consequence(severity, mark, -1 / (1 + Math.max(weight, 0)));
    }

    private WeightedFinding consequence(Severity severity, String mark, double newWeight) {
        Finding consequence = new Finding(
                finding.rule(),
                severity,
                finding.title(),
                finding.text() + mark,
                finding.evidence(),
                finding.remedy(),
                true);
        return new WeightedFinding(consequence, newWeight, captureId, pid, isOwnCause, explained);
    }
}
