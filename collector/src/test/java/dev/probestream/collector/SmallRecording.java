package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A small recording: what a test did while probes were in place, and what came of it. */
record SmallRecording(Recorded recorded, List<String> notices, List<String> misspelled) {
    private static final int RING_SIZE_BYTES = 1 << 20;

    /** What happens between the probes being in place and the end of the recording. */
    interface Action {
        void run() throws Exception;
    }

    static CollectionRequest request(TargetSelection targets, String... specs) throws Exception {
        return CollectionRequest.of(targets)
                .probes(ProbeSet.select(List.of(specs)))
                .limit(Duration.ofMinutes(2))
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .build();
    }

    static SmallRecording ofProcess(Path folder, int pid, Action action, String... specs) throws Exception {
        return of(folder, request(TargetSelection.ofPids(List.of(pid)), specs), action);
    }

    /** A command from its start to its end, which must be a good one. */
    static SmallRecording ofCommand(Path folder, boolean followChildren, List<String> command, String... specs)
            throws Exception {
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofCommand(command))
                .probes(ProbeSet.select(List.of(specs)))
                .limit(Duration.ofMinutes(2))
                .followChildren(followChildren)
                .ringSizeBytes(RING_SIZE_BYTES)
                .commandLine(List.of("test"))
                .build();
        Path file = folder.resolve("command.avro");
        try (Collector collector = Collector.open(request);
                FilePublisher publisher = FilePublisher.create(file)) {
            CollectionOutcome outcome = collector.run(publisher);
            assertThat(outcome.commandStatus()).hasValue(0);
            return new SmallRecording(Recorded.read(file), collector.warnings(), outcome.misspelled());
        }
    }

    static SmallRecording of(Path folder, CollectionRequest request, Action action) throws Exception {
        return of(folder, request, UprobeAttachMethod.best(), action);
    }

    static SmallRecording of(Path folder, CollectionRequest request, UprobeAttachMethod means, Action action)
            throws Exception {
        Path file = folder.resolve("recording.avro");
        List<String> notices = new ArrayList<>();
        List<String> misspelled = new ArrayList<>();
        StopSignal stop = new StopSignal();
        // Beside the reading thread, which has to attach what the action brings about.
        Thread acting = null;
        List<Throwable> failures = new ArrayList<>();
        try (Collector collector = Collector.open(request, stop, () -> means);
                FilePublisher publisher = FilePublisher.create(file)) {
            Thread thread = new Thread(() -> {
                try {
                    action.run();
                } catch (Exception | AssertionError e) {
                    failures.add(e);
                } finally {
                    stop.raise();
                }
            });
            acting = thread;
            boolean[] begun = {false};
            CollectionOutcome outcome = collector.run(publisher, progress -> {
                if (!begun[0]) {
                    begun[0] = true;
                    thread.start();
                }
            });
            misspelled.addAll(outcome.misspelled());
            notices.addAll(collector.warnings());
        } finally {
            if (acting != null) {
                acting.join();
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("the action failed", failures.get(0));
        }
        return new SmallRecording(Recorded.read(file), notices, misspelled);
    }
}
