package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.internal.find.ProbeFinder;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.scope.TargetEnds;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that end between the moment when they are found and the moment when their probes are attached. */
@KernelTest(since = "5.8")
class EndedTargetsTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void theOthersAreRecordedAndThoseThatEndedAreCounted() throws Exception {
        Path file = folder.resolve("ended.avro");
        StopSignal stop = new StopSignal();
        try (CProgram.Running living = calls.start();
                CProgram.Running ended = calls.start()) {
            CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(living.pid(), ended.pid())))
                    .probes(ProbeSet.select(List.of("uprobe:tick")))
                    .ringSizeBytes(1 << 20)
                    .commandLine(List.of("test"))
                    .build();
            try (Collector collector = Collector.open(request, stop);
                    FilePublisher publisher = FilePublisher.create(file)) {
                ended.finish();
                collector.run(publisher, progress -> askOnce(living, stop));
                assertThat(collector.warnings())
                        .contains("1 of 2 processes ended before the probes were attached and is left out: calls ("
                                + ended.pid() + ")");
            }
            Recorded recorded = Recorded.read(file);
            assertThat(recorded.of("tick"))
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(event.pid()).isEqualTo(living.pid()));
            assertThat(recorded.processes).containsOnlyKeys(living.pid());
        }
    }

    private static void askOnce(CProgram.Running program, StopSignal stop) {
        if (!stop.isRaised()) {
            try {
                program.ask("repeat 10");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            stop.raise();
        }
    }

    /** Whatever the order: the reason that counts is that of a process whose files can be looked at. */
    @Test
    void probesAreFoundInTheProcessesThatLive() throws Exception {
        try (CProgram.Running living = calls.start()) {
            Target gone = goneTarget();
            for (List<Target> targets :
                    List.of(List.of(Target.of(living.pid()), gone), List.of(gone, Target.of(living.pid())))) {
                assertThat(find(targets, "uprobe:tick"))
                        .extracting(ResolvedProbe::name)
                        .containsExactly("tick");
                // No process has these functions: a set without them is skipped, also if a process has ended.
                assertThat(find(targets, "node-fs", "uprobe:tick")).hasSize(1);
            }
        }
    }

    @Test
    void thatAllHaveEndedIsTheReason() throws Exception {
        Target gone = goneTarget();

        assertThatThrownBy(() -> find(List.of(gone), "uprobe:tick"))
                .isInstanceOf(ResolveException.class)
                .hasMessage("read process " + gone.pid() + " (calls): it has exited");
    }

    @Test
    void whatHasEndedBeforeItIsWatchedHasEnded() throws Exception {
        Target gone = goneTarget();
        try (TargetEnds ends = new TargetEnds(scope(List.of(gone)), null)) {
            assertThat(ends.reason(() -> false)).hasValue("process " + gone.pid() + " (calls) exited");
        }
    }

    private static Target goneTarget() throws Exception {
        try (CProgram.Running program = calls.start()) {
            Target target = Target.of(program.pid());
            program.finish();
            assertThat(TargetProcesses.hasEnded(target.pid())).isTrue();
            return target;
        }
    }

    private static List<ResolvedProbe> find(List<Target> targets, String... probes) throws ResolveException {
        try (ProbeFinder finder = new ProbeFinder(scope(targets), Optional.empty(), false, false)) {
            finder.find(ProbeSet.select(List.of(probes)));
            return finder.found();
        }
    }

    private static TargetScope scope(List<Target> targets) throws ResolveException {
        return new TargetScope(
                targets,
                Map.of(),
                TargetFilter.LISTED_PROCESSES,
                FollowRule.NONE,
                true,
                OwnPidNamespace.read(),
                List.of());
    }
}
