package dev.probestream.cli.hist;

import dev.probestream.cli.report.PageFile;
import dev.probestream.cli.terminal.Quantity;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.ReportContents.CaptureSummary;
import dev.probestream.query.report.ReportContents.Fact;
import dev.probestream.query.report.ReportPart;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.fact.FlameTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes the totals of one table as folded text, or as a page with a flame graph. */
final class FlameOutput {
    private final PrintWriter out;
    private final boolean isFolded;
    private final Optional<PageFile> page;
    private final Terminal terminal;

    /**
     * @param isFolded whether folded text goes to {@code out}
     * @param page the file of the page, if there is to be one
     */
    FlameOutput(PrintWriter out, boolean isFolded, Optional<PageFile> page, Terminal terminal) {
        this.out = out;
        this.isFolded = isFolded;
        this.page = page;
        this.terminal = terminal;
    }

    void write(HistogramSnapshot snapshot) throws IOException {
        HistogramTable table = snapshot.tables().get(0);
        missing(table).forEach(terminal::print);
        if (isFolded) {
            FoldedStacks.lines(table).forEach(out::println);
            out.flush();
        }
        if (page.isPresent()) {
            page.get().write(contents(snapshot, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
            Path path = page.get().path();
            terminal.print("wrote " + path + " (" + Quantity.bytes(Files.size(path)) + ")");
        }
    }

    private static List<String> missing(HistogramTable table) {
        List<String> missing = new ArrayList<>();
        if (table.lost() > 0) {
            missing.add("NOT COUNTED: " + Quantity.count(table.lost(), "hit"));
        }
        if (table.openCalls() > 0) {
            missing.add(Quantity.count(table.openCalls(), "call") + " entered and not returned");
        }
        return missing;
    }

    static ReportContents contents(HistogramSnapshot snapshot, Instant now) {
        HistogramTable table = snapshot.tables().get(0);
        HistogramSpec spec = table.spec();
        boolean isOfSum = FoldedStacks.isOfSum(spec);
        String unit = isOfSum ? spec.isOfDuration() ? "ns" : spec.of() : "hits";
        FlameTree tree = new FlameTree();
        FoldedStacks.of(table)
                .forEach((levels, weight) -> tree.add(
                        levels.stream()
                                .map(level -> new FlameTree.Step(level.function(), ""))
                                .toList(),
                        weight.max(BigInteger.ZERO).doubleValue()));
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("duration", Quantity.seconds(Duration.ofNanos(snapshot.toNs() - snapshot.fromNs()))));
        facts.add(new Fact("hits", Quantity.count(table.total())));
        facts.add(new Fact("not counted", Quantity.count(table.lost())));
        if (table.openCalls() > 0) {
            facts.add(new Fact("not returned", Quantity.count(table.openCalls())));
        }
        String title = (isOfSum ? "sum of " + spec.of() : "hits") + " by " + String.join(", ", spec.keys());
        return new ReportContents(
                ValueText.escaped(spec.title()),
                now.toString(),
                Version.current(),
                List.of(new CaptureSummary(ValueText.escaped(spec.title()), facts, table.lost() == 0)),
                List.of(),
                List.of(),
                List.of(new Section(
                        "counts",
                        "Counts",
                        "Callers are above what they call. The width is the share of " + title + ".",
                        List.of(new ReportPart.Flame(title, unit, tree.root())))));
    }
}
