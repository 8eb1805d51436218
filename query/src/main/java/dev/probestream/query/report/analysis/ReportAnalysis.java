package dev.probestream.query.report.analysis;

import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Evidence;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.Section;
import dev.probestream.query.report.analysis.chapter.Chapter;
import dev.probestream.query.report.analysis.chapter.ConnectionsChapter;
import dev.probestream.query.report.analysis.chapter.CpuChapter;
import dev.probestream.query.report.analysis.chapter.DnsChapter;
import dev.probestream.query.report.analysis.chapter.EndsChapter;
import dev.probestream.query.report.analysis.chapter.ErrorsChapter;
import dev.probestream.query.report.analysis.chapter.FilesChapter;
import dev.probestream.query.report.analysis.chapter.GcChapter;
import dev.probestream.query.report.analysis.chapter.LoopChapter;
import dev.probestream.query.report.analysis.chapter.LossesChapter;
import dev.probestream.query.report.analysis.chapter.OutgoingChapter;
import dev.probestream.query.report.analysis.chapter.PoolChapter;
import dev.probestream.query.report.analysis.chapter.ProcessChapter;
import dev.probestream.query.report.analysis.chapter.RequestsChapter;
import dev.probestream.query.report.analysis.chapter.SlowRequestsChapter;
import dev.probestream.query.report.analysis.chapter.SyscallsChapter;
import dev.probestream.query.report.analysis.chapter.TimeAxis;
import dev.probestream.query.report.analysis.chapter.WaitingChapter;
import dev.probestream.query.report.analysis.fact.CaptureSummaries;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.rule.ConnectionsLeakedRule;
import dev.probestream.query.report.analysis.rule.Consequences;
import dev.probestream.query.report.analysis.rule.CpuBurntRule;
import dev.probestream.query.report.analysis.rule.CrashRule;
import dev.probestream.query.report.analysis.rule.CutOffRule;
import dev.probestream.query.report.analysis.rule.DescriptorsGrowRule;
import dev.probestream.query.report.analysis.rule.FailuresRule;
import dev.probestream.query.report.analysis.rule.FloodRule;
import dev.probestream.query.report.analysis.rule.GapsRule;
import dev.probestream.query.report.analysis.rule.GcStormRule;
import dev.probestream.query.report.analysis.rule.HeapGrowsRule;
import dev.probestream.query.report.analysis.rule.ListenOverflowRule;
import dev.probestream.query.report.analysis.rule.LoopBlockedRule;
import dev.probestream.query.report.analysis.rule.LossesRule;
import dev.probestream.query.report.analysis.rule.MissingSetAdvice;
import dev.probestream.query.report.analysis.rule.PoolStarvedRule;
import dev.probestream.query.report.analysis.rule.PoolStuckRule;
import dev.probestream.query.report.analysis.rule.RequestsSerializedRule;
import dev.probestream.query.report.analysis.rule.ResourcesExhaustedRule;
import dev.probestream.query.report.analysis.rule.Rule;
import dev.probestream.query.report.analysis.rule.SlowDnsRule;
import dev.probestream.query.report.analysis.rule.SyncFsRule;
import dev.probestream.query.report.analysis.rule.TimerWaitsRule;
import dev.probestream.query.report.analysis.rule.TlsHandshakesRule;
import dev.probestream.query.report.analysis.rule.TurnsLongRule;
import dev.probestream.query.report.analysis.rule.WeightedFinding;
import dev.probestream.query.report.analysis.rule.machine.CpuPressureRule;
import dev.probestream.query.report.analysis.rule.machine.CpuStarvedRule;
import dev.probestream.query.report.analysis.rule.machine.CpuThrottledRule;
import dev.probestream.query.report.analysis.rule.machine.StallRule;
import dev.probestream.query.report.analysis.rule.machine.WorkersBusyRule;
import dev.probestream.query.report.analysis.rule.outgoing.CallsHomeRule;
import dev.probestream.query.report.analysis.rule.outgoing.CallsLimitedRule;
import dev.probestream.query.report.analysis.rule.outgoing.ConnectionErrorsRule;
import dev.probestream.query.report.analysis.rule.outgoing.ConnectionsExhaustedRule;
import dev.probestream.query.report.analysis.rule.outgoing.ConnectionsHeldRule;
import dev.probestream.query.report.analysis.rule.outgoing.ConnectionsNotKeptRule;
import dev.probestream.query.report.analysis.rule.outgoing.CostlyCommandsRule;
import dev.probestream.query.report.analysis.rule.outgoing.LockWaitsRule;
import dev.probestream.query.report.analysis.rule.outgoing.LookupsFailingRule;
import dev.probestream.query.report.analysis.rule.outgoing.LookupsRepeatedRule;
import dev.probestream.query.report.analysis.rule.outgoing.PeerTailRule;
import dev.probestream.query.report.analysis.rule.outgoing.RepeatedCallsRule;
import dev.probestream.query.report.analysis.rule.outgoing.RepeatedStatementsRule;
import dev.probestream.query.report.analysis.rule.outgoing.RetriesRule;
import dev.probestream.query.report.analysis.rule.outgoing.SlowPeerRule;
import dev.probestream.query.report.analysis.rule.outgoing.SlowStatementRule;
import dev.probestream.query.report.analysis.rule.outgoing.TransactionHeldRule;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Analyses recordings: chapters give sections with numbers, rules give findings in words. */
public final class ReportAnalysis {
    private static final List<Chapter> CHAPTERS = List.of(
            new EndsChapter(),
            new RequestsChapter(),
            new SlowRequestsChapter(),
            new LoopChapter(),
            new CpuChapter(),
            new WaitingChapter(),
            new PoolChapter(),
            new GcChapter(),
            new ProcessChapter(),
            new DnsChapter(),
            new ConnectionsChapter(),
            new OutgoingChapter(),
            new FilesChapter(),
            new SyscallsChapter(),
            new ErrorsChapter(),
            new LossesChapter());

    private static final List<Rule> RULES = List.of(
            new CrashRule(),
            new ResourcesExhaustedRule(),
            new CpuThrottledRule(),
            new WorkersBusyRule(),
            new CpuPressureRule(),
            StallRule.MEMORY,
            StallRule.IO,
            new LoopBlockedRule(),
            new TurnsLongRule(),
            new SyncFsRule(),
            new PoolStuckRule(),
            new PoolStarvedRule(),
            new SlowDnsRule(),
            new GcStormRule(),
            new ConnectionsLeakedRule(),
            new SlowStatementRule(),
            new CostlyCommandsRule(),
            new TransactionHeldRule(),
            new LockWaitsRule(),
            new SlowPeerRule(),
            new PeerTailRule(),
            new RepeatedStatementsRule(),
            new RepeatedCallsRule(),
            new ConnectionsExhaustedRule(),
            new ConnectionsHeldRule(),
            new ConnectionsNotKeptRule(),
            new RequestsSerializedRule(),
            new CallsLimitedRule(),
            new TimerWaitsRule(),
            new ConnectionErrorsRule(),
            new LookupsFailingRule(),
            new LookupsRepeatedRule(),
            new RetriesRule(),
            new CallsHomeRule(),
            new CpuStarvedRule(),
            new FailuresRule(),
            new DescriptorsGrowRule(),
            new HeapGrowsRule(),
            new ListenOverflowRule(),
            new CpuBurntRule(),
            FloodRule.MICROTASKS,
            FloodRule.NEXT_TICKS,
            new TlsHandshakesRule(),
            new LossesRule(),
            new CutOffRule(),
            new GapsRule());

    private ReportAnalysis() {}

    /**
     * The report of all captures in {@code recordings}. Its temporary tables {@code report_...} stay on the connection.
     *
     * @throws QueryException if the recordings hold no capture, or cannot be read
     */
    public static ReportContents of(Recordings recordings, String toolVersion, Instant generatedAt)
            throws QueryException {
        return of(RecordingDatabase.prepare(recordings.connection()), toolVersion, generatedAt);
    }

    /**
     * As above.
     *
     * @param database its facts are prepared
     */
    public static ReportContents of(RecordingDatabase database, String toolVersion, Instant generatedAt)
            throws QueryException {
        if (!database.has("report_capture")) {
            throw new QueryException("cannot make a report: the recordings contain no hit of a probe;"
                    + " check that the process ran and was active while it was recorded");
        }
        TimeAxis axis = TimeAxis.of(database);
        List<Section> sections = new ArrayList<>();
        for (Chapter chapter : CHAPTERS) {
            chapter.section(database, axis).ifPresent(sections::add);
        }
        List<WeightedFinding> found = new ArrayList<>();
        for (Rule rule : RULES) {
            rule.findings(database).forEach(each -> found.add(each.withRemedy(rule.remedy())));
        }
        return new ReportContents(
                RecordingTitle.of(database),
                generatedAt.truncatedTo(ChronoUnit.SECONDS).toString(),
                toolVersion,
                CaptureSummaries.of(database),
                findings(Consequences.marked(found), sections, RecordedProcesses.of(database)),
                MissingSetAdvice.of(database),
                sections);
    }

    /**
     * The findings, the worst first, with links to existing sections. Where all are notes, another one says that nothing stands out: behind
     * those about a process, before those about the recording.
     */
    private static List<Finding> findings(
            List<WeightedFinding> found, List<Section> sections, RecordedProcesses processes) {
        Set<String> ids = sections.stream().map(Section::id).collect(Collectors.toSet());
        List<Finding> findings = new ArrayList<>();
        found.stream().sorted(WeightedFinding.WORST_FIRST).forEach(weighted -> {
            Finding finding = weighted.finding();
            findings.add(new Finding(
                    finding.rule(),
                    finding.severity(),
                    processes.named(finding.title(), weighted),
                    finding.text(),
                    finding.evidence().stream()
                            .filter(evidence -> ids.contains(evidence.sectionId()))
                            .toList(),
                    finding.remedy(),
                    finding.isConsequence()));
        });
        if (findings.stream().allMatch(finding -> finding.severity() == Severity.NOTE)) {
            long ofProcesses = found.stream()
                    .filter(weighted -> weighted.pid() != WeightedFinding.NO_PROCESS)
                    .count();
            findings.add(Math.toIntExact(ofProcesses), healthy(sections, ofProcesses > 0));
        }
        return findings;
    }

    private static Finding healthy(List<Section> sections, boolean isBehindNotes) {
        List<Evidence> evidence = sections.stream()
                .filter(section -> List.of(RequestsChapter.ID, LoopChapter.ID).contains(section.id()))
                .map(section -> new Evidence(section.title().toLowerCase(java.util.Locale.ROOT), section.id()))
                .toList();
        return new Finding(
                "healthy",
                Severity.NOTE,
                isBehindNotes ? "Nothing else stands out." : "Nothing stands out.",
                "Of what was recorded, nothing exceeds the thresholds: crashes, exhausted descriptors and disks, blocked loops, synchronous files, a full or stuck pool,"
                        + " slow, failing or repeated lookups, garbage collection, leaked, exhausted or failing connections, slow"
                        + " peers and statements, repeated statements, costly commands, held transactions and connections, retries, packages that call home,"
                        + " missing or throttled CPUs, pressure of memory and disks, errors,"
                        + " what grows or burns.",
                evidence);
    }
}
