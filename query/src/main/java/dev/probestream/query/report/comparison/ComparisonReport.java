package dev.probestream.query.report.comparison;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.ReportAnalysis;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.comparison.Changes.Sensitivity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What changed between two recordings of a program.
 *
 * @param contents the report of the recording after, with the section "What changed" and its findings first
 * @param lines the changes as text, for a terminal
 */
public record ComparisonReport(ReportContents contents, List<String> lines) {
    public ComparisonReport {
        lines = List.copyOf(lines);
    }

    /**
     * Compares.
     *
     * @param before its recordings may be closed
     * @param after its recordings are open
     */
    public static ComparisonReport of(
            ComparedRecording before, ComparedRecording after, String toolVersion, Instant generatedAt)
            throws QueryException {
        Changes changes = Comparison.of(before.measured(), after.measured());
        ReportContents report = ReportAnalysis.of(after.database(), toolVersion, generatedAt);
        List<Section> sections = new ArrayList<>(List.of(ChangesSection.of(changes)));
        sections.addAll(report.sections());
        Set<String> ids = sections.stream().map(Section::id).collect(Collectors.toSet());
        List<Finding> findings = new ArrayList<>(ChangeFindings.of(changes, ids));
        // "Nothing stands out" is of the recording after alone, and no answer beside what changed.
        report.findings().stream()
                .filter(finding ->
                        changes.changes().isEmpty() || !finding.rule().equals("healthy"))
                .forEach(findings::add);
        List<CaptureSummary> captures = new ArrayList<>(before.captures());
        captures.addAll(report.captures());
        ReportContents contents = new ReportContents(
                report.title() + ", compared with " + before.measured().times().began(),
                report.generatedAt(),
                report.toolVersion(),
                captures,
                findings,
                report.advice(),
                sections);
        return new ComparisonReport(contents, lines(changes));
    }

    private static List<String> lines(Changes changes) {
        List<String> lines = new ArrayList<>();
        lines.add("What changed from " + title(changes.before()) + " to " + title(changes.after()) + ":");
        lines.add("");
        for (Change change : changes.changes()) {
            lines.add("%-6s  %s,".formatted(ChangeFindings.severity(change, changes), ChangeWords.sentence(change)));
            lines.add("        " + ChangeWords.certainty(change));
            changes.function(change).ifPresent(growth -> lines.add("        " + growth.words()));
        }
        if (changes.changes().isEmpty()) {
            lines.add("Nothing beyond chance and what matters: " + changes.compared() + " measures were compared.");
        }
        if (!changes.sensitivities().isEmpty()) {
            lines.add("");
            lines.add("The smallest change that would have been seen:");
            for (Sensitivity one : changes.sensitivities()) {
                lines.add("        %s of %s: %s (%s)"
                        .formatted(
                                one.key().measure().words(),
                                one.key().subject(),
                                Amounts.share(one.seenFactor() - 1, 1),
                                Amounts.count(one.observations(), "request")));
            }
        }
        if (!changes.byMachine().isEmpty()) {
            lines.add("");
            lines.add("The machine may explain:");
            changes.byMachine().forEach(change -> lines.add("        " + ChangeWords.sentence(change)));
        }
        if (!changes.conditions().isEmpty()) {
            lines.add("");
            lines.addAll(changes.conditions());
        }
        return lines;
    }

    private static String title(Measured side) {
        return side.path() + " (" + side.times().began() + ")";
    }
}
