package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a collection with a budget records and reports, compared with the times of calls that the program itself notes.
 */
@KernelTest(since = "5.8")
class CaptureBudgetTest {
    private static final int RING_SIZE_BYTES = 64 << 20;
    private static final int ENOUGH_GAPS = 4;

    @TempDir
    static Path folder;

    private static CProgram timed;

    @BeforeAll
    static void compile() throws Exception {
        timed = CProgram.compile(folder, "budget/timed");
    }

    @Tag("deep")
    @Test
    void eachCallIsAnEventOrInAGap() throws Exception {
        try (CProgram.Running program = timed.start()) {
            assertThat(program.ask("paced 5000")).isEqualTo("1");
            Recorded recorded = record(
                    program.pid(), Budget.ofShare(0.05), "uprobe:tick (n=arg1:s64)", "span:hold (n=arg1:s64)", "sched");
            List<Long> ticks = times(program, "dump", "ticks");
            List<Long> holds = times(program, "dumpholds", "holds");

            assertThat(recorded.lost()).isZero();
            List<Gap> gaps = recorded.gaps.stream()
                    .filter(gap -> gap.getCategory().equals("user"))
                    .toList();
            assertThat(gaps).isNotEmpty().allMatch(gap -> gap.getReason() == GapReason.BUDGET && gap.getProbeId() == 0);
            assertThat(gaps).allMatch(gap -> gap.getFromNs() < gap.getToNs());
            everyOne(recorded, "tick", ticks, gaps);
            everyOne(recorded, "hold", holds, gaps);
            assertThat(recorded.of("hold"))
                    .filteredOn(event -> event.kind() == EventKind.OPEN_SPAN && event.durationNs() >= 0)
                    .isNotEmpty()
                    .allMatch(event -> gaps.stream()
                            .anyMatch(
                                    gap -> gap.getFromNs() == event.endNs() || event.timestampNs() > gap.getFromNs()));
        }
    }

    /** A call without an event lasted into a gap, or began in one. */
    private static void everyOne(Recorded recorded, String probe, List<Long> times, List<Gap> gaps) {
        long endNs = recorded.ends.get(0).getMonotonicNs();
        Set<Long> seen = new HashSet<>();
        for (Recorded.Kept event : recorded.of(probe)) {
            assertThat(seen.add(event.numbers().get(0)))
                    .as("seen once: %s", event)
                    .isTrue();
        }
        assertThat(seen).isNotEmpty();
        int inGaps = 0;
        // The window opens right after the moment that the capture begins by its own account.
        for (int i = Math.toIntExact(Collections.min(seen)); i + 1 < times.size(); i++) {
            long fromNs = times.get(i);
            long toNs = times.get(i + 1);
            if (toNs > endNs || seen.contains((long) i)) {
                continue;
            }
            inGaps++;
            assertThat(gaps)
                    .as("%s %d at %d", probe, i, fromNs)
                    .anyMatch(gap -> fromNs <= gap.getToNs() && toNs >= gap.getFromNs());
        }
        assertThat(inGaps).isPositive();
    }

    @Test
    void aProbeThatIsHitFarTooOftenBecomesASample() throws Exception {
        try (CProgram.Running program = timed.start()) {
            assertThat(program.ask("paced 0")).isEqualTo("1");
            Guarded guarded = guarded(program.pid(), ProbeSet.select(List.of("uprobe:tick")), "user");
            List<Gap> gaps = guarded.recorded.gaps;

            assertThat(guarded.notices)
                    .singleElement()
                    .asString()
                    .startsWith("watched for a part of the time from now on, as a set would cost the target more CPU"
                            + " time than it needs for itself: user ");
            assertThat(guarded.warnings)
                    .anyMatch(line -> line.startsWith("not watched all the time, as a set would cost")
                            && line.endsWith("or --budget off to watch them all the same"));
            assertThat(guarded.recorded.ends.get(0).getReason()).contains("not watched all the time");
            assertThat(gaps)
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allMatch(gap -> gap.getReason() == GapReason.HIT_RATE
                            && gap.getCategory().equals("user")
                            && gap.getProbeId() == 0
                            && gap.getToNs() > gap.getFromNs());
            for (int i = 1; i < gaps.size(); i++) {
                long fromNs = gaps.get(i - 1).getToNs();
                long toNs = gaps.get(i).getFromNs();
                assertThat(guarded.recorded.of("tick"))
                        .as("between two gaps")
                        .anyMatch(event -> event.timestampNs() >= fromNs && event.timestampNs() <= toNs);
            }
        }
    }

    @Test
    void aSetGivesWayAsAWholeAndNoOtherDoes() throws Exception {
        try (CProgram.Running program = timed.start()) {
            assertThat(program.ask("paced 0")).isEqualTo("1");
            Guarded guarded = guarded(
                    program.pid(), List.of(inSet("tick"), inSet("hold"), SpecParser.parse("uprobe:hold")), "pair");
            Gap first = guarded.recorded.gaps.get(0);

            assertThat(guarded.recorded.gaps)
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allMatch(gap -> gap.getCategory().equals("pair") && gap.getProbeId() == 0);
            assertThat(guarded.recorded.of("pair.hold")).isNotEmpty();
            assertThat(guarded.recorded.of("hold"))
                    .filteredOn(
                            event -> event.timestampNs() > first.getFromNs() && event.timestampNs() < first.getToNs())
                    .isNotEmpty();
        }
    }

    @Test
    void aProbeThatHasAnnouncedIsNotAttachedAgainAfterAGap() throws Exception {
        try (CProgram.Running program = timed.start()) {
            assertThat(program.ask("paced 0")).isEqualTo("1");
            Guarded guarded = guarded(
                    program.pid(),
                    List.of(
                            inSet("hold", new Attaching("", "HOLD")),
                            inSet("tick", new Attaching("HOLD", "")),
                            SpecParser.parse("uprobe:hold")),
                    "pair");
            Recorded recorded = guarded.recorded;
            long againNs = recorded.gaps.get(1).getToNs();

            assertThat(recorded.of("pair.tick")).as("attached again").anyMatch(event -> event.timestampNs() > againNs);
            assertThat(hits(recorded, "pair.hold", 0)).as("before").isPositive();
            assertThat(hits(recorded, "hold", againNs)).isPositive();
            assertThat(hits(recorded, "pair.hold", againNs)).isZero();
            assertThat(guarded.warnings).anyMatch(line -> line.startsWith("HOLD is used since "));
        }
    }

    /** How often a probe was hit in the intervals of cost from a time on. */
    private static long hits(Recorded recorded, String probe, long fromNs) {
        Set<Integer> ids = recorded.probes.values().stream()
                .filter(each -> each.getName().equals(probe))
                .map(Probe::getProbeId)
                .collect(Collectors.toSet());
        return recorded.costs.stream()
                .filter(cost -> cost.getFromNs() >= fromNs)
                .flatMap(cost -> cost.getProbes().stream())
                .filter(cost -> ids.contains(cost.getProbeId()))
                .mapToLong(ProbeCost::getHits)
                .sum();
    }

    private record Guarded(Recorded recorded, List<String> notices, List<String> warnings) {}

    /** Records without a budget until there were some gaps of a set. */
    private static Guarded guarded(int pid, List<ProbeSpec> specs, String category) throws Exception {
        StopSignal stop = new StopSignal();
        Path file = folder.resolve("guarded-" + category + ".avro");
        List<String> notices = new ArrayList<>();
        try (Collector collector = Collector.open(request(pid, Budget.GUARD_ONLY, specs), stop);
                FilePublisher publisher = FilePublisher.create(file)) {
            collector.run(
                    new UntilGaps(publisher, stop, gap -> gap.getCategory().equals(category), 3, 5),
                    progress -> notices.addAll(progress.notices()));
            return new Guarded(Recorded.read(file), notices, collector.warnings());
        }
    }

    private static ProbeSpec inSet(String function) throws Exception {
        return inSet(function, Attaching.AT_START);
    }

    private static ProbeSpec inSet(String function, Attaching attaching) throws Exception {
        ProbeSpec spec = SpecParser.parse("uprobe:" + function);
        return spec.ofPreset(
                spec.arguments(),
                spec.result(),
                spec.filter(),
                new PresetTraits(
                        "pair." + function,
                        "pair",
                        false,
                        "",
                        PresetTraits.FileCondition.NONE,
                        ProbeCases.NONE,
                        false,
                        attaching));
    }

    private static List<Long> times(CProgram.Running program, String request, String name) throws Exception {
        Path file = folder.resolve(name);
        program.ask(request + " " + file);
        return Files.readAllLines(file).stream().map(Long::valueOf).collect(Collectors.toList());
    }

    private static CollectionRequest request(int pid, Budget budget, String... specs) throws Exception {
        return request(pid, budget, ProbeSet.select(List.of(specs)));
    }

    private static CollectionRequest request(int pid, Budget budget, List<ProbeSpec> specs) throws Exception {
        return CollectionRequest.of(TargetSelection.ofPids(List.of(pid)))
                .probes(specs)
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .budget(budget)
                .limit(Duration.ofMinutes(3))
                .build();
    }

    /** Records until there were some gaps of what the user asked for. */
    private static Recorded record(int pid, Budget budget, String... specs) throws Exception {
        Path file = folder.resolve("budget.avro");
        StopSignal stop = new StopSignal();
        try (Collector collector = Collector.open(request(pid, budget, specs), stop);
                FilePublisher publisher = FilePublisher.create(file)) {
            collector.run(
                    new UntilGaps(publisher, stop, gap -> gap.getCategory().equals("user"), ENOUGH_GAPS, 0));
        }
        return Recorded.read(file);
    }

    /** Ends the collection after some gaps and some events that follow them. */
    private static final class UntilGaps implements EventPublisher {
        private final EventPublisher publisher;
        private final StopSignal stop;
        private final Predicate<Gap> which;
        private int gapsToCome;
        private int eventsToCome;

        UntilGaps(EventPublisher publisher, StopSignal stop, Predicate<Gap> which, int gaps, int eventsAfter) {
            this.publisher = publisher;
            this.stop = stop;
            this.which = which;
            this.gapsToCome = gaps;
            this.eventsToCome = eventsAfter;
        }

        private void stopIfAllCame() {
            if (gapsToCome <= 0 && eventsToCome <= 0) {
                stop.raise();
            }
        }

        @Override
        public void publish(EventEncoder event) {
            publisher.publish(event);
            if (gapsToCome <= 0) {
                eventsToCome--;
                stopIfAllCame();
            }
        }

        @Override
        public void publish(SpecificRecord metadata) {
            publisher.publish(metadata);
            if (metadata instanceof Gap gap && which.test(gap)) {
                gapsToCome--;
                stopIfAllCame();
            }
        }

        @Override
        public long publishedBytes() {
            return publisher.publishedBytes();
        }

        @Override
        public void flush() {
            publisher.flush();
        }

        @Override
        public void complete() {
            publisher.complete();
        }

        @Override
        public void close() {
            publisher.close();
        }
    }
}
