package dev.probestream.query.report;

import java.util.List;

/**
 * What the recording says in words.
 *
 * @param rule which rule found it: a stable word such as {@code loop-blocked}, for tests and scripts
 * @param title one sentence: the cause, with the function or file where it is known
 * @param text what was measured, with numbers and units
 * @param evidence where in the report it can be seen
 */
public record Finding(String rule, Severity severity, String title, String text, List<Evidence> evidence) {
    public Finding {
        evidence = List.copyOf(evidence);
    }

    /** How much it matters, the worst first. */
    public enum Severity {
        HIGH,
        MEDIUM,
        NOTE
    }

    /** A link into the report: the words, and the id of the section. */
    public record Evidence(String label, String sectionId) {}
}
