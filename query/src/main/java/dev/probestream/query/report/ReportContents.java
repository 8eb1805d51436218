package dev.probestream.query.report;

import java.util.List;

/**
 * The contents of a report, independent of the page.
 *
 * @param title what was recorded, in one line
 * @param generatedAt UTC, ISO 8601
 * @param toolVersion of the tool that made the report
 * @param captures what was recorded and what was lost
 * @param findings the most serious first
 * @param advice what was not recorded and would help
 * @param sections in reading order
 */
public record ReportContents(
        String title,
        String generatedAt,
        String toolVersion,
        List<CaptureSummary> captures,
        List<Finding> findings,
        List<Advice> advice,
        List<Section> sections) {
    public ReportContents {
        captures = List.copyOf(captures);
        findings = List.copyOf(findings);
        advice = List.copyOf(advice);
        sections = List.copyOf(sections);
    }

    /**
     * A summary of one capture.
     *
     * @param facts pairs of label and value: host, kernel, command, start, duration, events, losses ...
     * @param isWhole whether it ended regularly, nothing was lost, and everything was watched
     */
    public record CaptureSummary(String name, List<Fact> facts, boolean isWhole) {
        public CaptureSummary {
            facts = List.copyOf(facts);
        }
    }

    /** A label and its value, for example "host" and "web-3". A value of several lines is a list. */
    public record Fact(String label, String value) {}

    /** Something that was not recorded, and how to record it. */
    public record Advice(String missing, String remedy) {}
}
