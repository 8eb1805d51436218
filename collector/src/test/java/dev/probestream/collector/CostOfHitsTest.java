package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.ProbeCost;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cost that a collection reports, in real processes. No test here measures time. */
@KernelTest(since = "5.8")
class CostOfHitsTest {
    private static final int CALLS = 40_000;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void everyHitIsCountedWhetherItIsRecordedFilteredOrLost() throws Exception {
        try (CProgram.Running program = calls.start();
                CProgram.Running other = calls.start()) {
            CostReading cost = collect(
                    program,
                    List.of("uprobe:tick", "uprobe:tick (n=arg1:s64) /n < 5/", "span:tick (r=ret:s64) /r == 1/"),
                    () -> {
                        program.ask("threads 2 " + CALLS / 2);
                        other.ask("repeat 1000");
                    });

            assertThat(cost.probes()).hasSize(3).allSatisfy(probe -> {
                assertThat(probe.hits()).isEqualTo(CALLS);
                assertThat(probe.name()).isEqualTo("tick");
                assertThat(probe.category()).isEqualTo("user");
                assertThat(probe.trapNs()).isPositive();
                assertThat(probe.programNs()).isPositive();
            });
            assertThat(cost.targetCpuNs()).isPositive();
            assertThat(cost.durationNs()).isPositive();
        }
    }

    @Test
    void theRecordingTellsWhatItCost() throws Exception {
        try (CProgram.Running program = calls.start()) {
            CostReading cost = collect(
                    program, List.of("syscalls", "uprobe:tick /pid == 0/"), () -> program.ask("repeat " + CALLS));

            Recorded recorded = Recorded.read(folder.resolve("recording.avro"));
            assertThat(sum(recorded, "tick")).isEqualTo(CALLS);
            assertThat(sum(recorded, "write")).isEqualTo(hits(cost, "write")).isPositive();
            assertThat(recorded.costs.stream().mapToLong(Cost::getTargetCpuNs).sum())
                    .isEqualTo(cost.targetCpuNs())
                    .isPositive();
            assertThat(recorded.costs.get(0).getFromNs()).isEqualTo(cost.fromNs());
            assertThat(recorded.costs.get(recorded.costs.size() - 1).getToNs()).isEqualTo(cost.toNs());
        }
    }

    private static long sum(Recorded recorded, String probe) {
        return recorded.costs.stream()
                .flatMap(cost -> cost.getProbes().stream())
                .filter(cost -> Objects.requireNonNull(recorded.probes.get(cost.getProbeId()))
                        .getName()
                        .equals(probe))
                .mapToLong(ProbeCost::getHits)
                .sum();
    }

    @Test
    void hitsOfTheKernelsTracepointsAreThoseOfTheTarget() throws Exception {
        try (CProgram.Running program = calls.start()) {
            CostReading cost = collect(
                    program, List.of("syscalls", "rawtracepoint:sys_enter", "sched"), () -> program.ask("repeat 10"));

            assertThat(hits(cost, "read")).isPositive();
            assertThat(hits(cost, "write")).isPositive();
            assertThat(cost.hitsByCategory().get("syscalls")).isEqualTo(hits(cost, "sys_enter"));
            assertThat(cost.hitsByCategory()).containsKeys("sched", "user");
        }
    }

    private static long hits(CostReading cost, String probe) {
        return cost.probes().stream()
                .filter(each -> each.name().equals(probe))
                .mapToLong(CostReading.OfProbe::hits)
                .sum();
    }

    private interface Action {
        void run() throws Exception;
    }

    private static CostReading collect(CProgram.Running program, List<String> specs, Action action) throws Exception {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                .probes(ProbeSet.select(specs))
                .ringSizeBytes(4096)
                .commandLine(List.of("test"))
                .build();
        StopSignal stop = new StopSignal();
        boolean[] done = {false};
        try (Collector collector = Collector.open(request, stop);
                FilePublisher publisher = FilePublisher.create(folder.resolve("recording.avro"))) {
            return collector
                    .run(publisher, progress -> {
                        if (!done[0]) {
                            done[0] = true;
                            try {
                                action.run();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                            stop.raise();
                        }
                    })
                    .cost();
        }
    }
}
