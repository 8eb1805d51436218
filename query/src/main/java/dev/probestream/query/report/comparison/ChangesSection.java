package dev.probestream.query.report.comparison;

import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.ReportPart.Column;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.comparison.Changes.Sensitivity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The section "What changed". */
final class ChangesSection {
    static final String ID = "changes";

    private static final List<Column> COLUMNS = List.of(
            new Column("what", "", false),
            new Column("of", "", false),
            new Column("measure", "", false),
            new Column("unit", "", false),
            new Column("before", "", true),
            new Column("after", "", true),
            new Column("difference", "", true),
            new Column("factor at least", "", true),
            new Column("factor at most", "", true),
            new Column("confidence", "", false));

    private static final List<Column> SEEN_COLUMNS = List.of(
            new Column("route", "", false),
            new Column("measure", "", false),
            new Column("requests", "", true),
            new Column("before", "ms", true),
            new Column("after", "ms", true),
            new Column("measured change", "%", true),
            new Column("seen from", "%", true));

    private static final int MOST_FLAMES = 3;

    private ChangesSection() {}

    static Section of(Changes changes) {
        List<ReportPart> parts = new ArrayList<>();
        if (!changes.conditions().isEmpty()) {
            parts.add(new ReportPart.Words("What else was different", String.join(" ", changes.conditions())));
        }
        if (changes.changes().isEmpty()) {
            parts.add(new ReportPart.Words("", "Nothing changed in the program beyond chance and what matters."));
        } else {
            parts.add(table("Changes", changes.changes()));
        }
        changes.changes().stream()
                .flatMap(change -> changes.function(change).stream())
                .map(FunctionGrowth::gained)
                .distinct()
                .limit(MOST_FLAMES)
                .forEach(parts::add);
        if (!changes.sensitivities().isEmpty()) {
            parts.add(sensitivities(changes));
        }
        if (!changes.byMachine().isEmpty()) {
            parts.add(table("What the machine may explain", changes.byMachine()));
        }
        return new Section(
                ID,
                "What changed",
                "From " + changes.before().path() + " to " + changes.after().path() + ": " + changes.compared()
                        + " measures were compared. A change is listed if it is larger than what matters, beyond chance; of"
                        + " all that is listed one in a hundred is none, on average. The factors hold what it is with a"
                        + " confidence of 95 %. All other sections are of the recording after.",
                parts);
    }

    /** Half of the answer where nothing is listed: how large a change has to be. */
    private static ReportPart sensitivities(Changes changes) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Sensitivity one : changes.sensitivities()) {
            rows.add(Arrays.asList(
                    one.key().subject(),
                    one.key().measure().words(),
                    one.observations(),
                    Amounts.rounded(one.before()),
                    Amounts.rounded(one.after()),
                    Amounts.rounded(100 * (one.after() / one.before() - 1)),
                    Amounts.rounded(100 * (one.seenFactor() - 1))));
        }
        return new ReportPart.Table("The smallest change that would have been seen", SEEN_COLUMNS, rows);
    }

    private static ReportPart table(String title, List<Change> changes) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Change change : changes) {
            rows.add(Arrays.asList(
                    change.key().area().words(),
                    change.key().subject(),
                    ChangeWords.measure(change),
                    change.key().measure().unit(),
                    Amounts.rounded(change.before()),
                    Amounts.rounded(change.after()),
                    Amounts.rounded(change.after() - change.before()),
                    Amounts.rounded(change.leastFactor()),
                    Amounts.rounded(change.mostFactor()),
                    ChangeWords.confidence(change)));
        }
        return new ReportPart.Table(title, COLUMNS, rows);
    }
}
