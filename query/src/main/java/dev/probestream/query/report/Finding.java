package dev.probestream.query.report;

import java.util.List;

/**
 * A finding of the report in words.
 *
 * @param rule the rule that found it: a stable name such as {@code loop-blocked}, for tests and scripts
 * @param title one sentence: the cause, with the function or file where it is known
 * @param text what was measured, with numbers and units
 * @param evidence links to the sections that show it
 * @param remedy what to do about it, one sentence; "" = nothing is known
 * @param isConsequence whether another finding is its cause
 */
public record Finding(
        String rule,
        Severity severity,
        String title,
        String text,
        List<Evidence> evidence,
        String remedy,
        boolean isConsequence) {
    public Finding {
        evidence = List.copyOf(evidence);
    }

    /** A finding that is no consequence; the report adds the rule's remedy. */
    public Finding(String rule, Severity severity, String title, String text, List<Evidence> evidence) {
        this(rule, severity, title, text, evidence, "", false);
    }

    /** The severity, the worst first. */
    public enum Severity {
        HIGH,
        MEDIUM,
        NOTE
    }

    /** A link into the report: the words, and the id of the section. */
    public record Evidence(String label, String sectionId) {}
}
