package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.PieceLength;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stands behind a Keyframe needs nothing that stands before it. */
@KernelTest(since = "5.17")
class KeyframesTest {
    private static final int KEYFRAMES = 4;

    /** Opens a file over and over, and starts processes that do the same for a moment. */
    private static final String SCRIPT = """
            const fs = require('fs');
            const openOne = () => fs.closeSync(fs.openSync(__filename));
            if (process.argv[2]) for (let i = 0; i < 20; i++) openOne();
            else {
              setInterval(function repeated() { openOne(); fs.readFile(__filename, () => {}); }, 5);
              const child = () => require('child_process').spawn(process.execPath, [__filename, 'child']).on('exit', child);
              child();
              console.log('ready');
            }""";

    @TempDir
    private Path folder;

    @Test
    void aReaderCanBeginAtEachOfThem() throws Exception {
        Path file = folder.resolve("long.avro");
        CollectionOutcome outcome = record(file);

        Pieces whole = new Pieces();
        assertThat(RecordingReader.read(file, whole).isWhole()).isTrue();
        whole.assertPiece();
        assertThat(whole.keyframes).hasSizeGreaterThanOrEqualTo(KEYFRAMES);
        assertThat(whole.nextSequence).isEqualTo(outcome.deliveredEvents());
        assertThat(whole.captures).hasSize(1);
        for (Keyframe keyframe : whole.keyframes) {
            Pieces rest = new Pieces();
            ReadOutcome read = RecordingReader.read(file, keyframe.getClock().getMonotonicNs(), rest);
            rest.assertPiece();
            assertThat(read.unreadBytes()).isPositive();
            assertThat(read.isWhole()).isTrue();
            assertThat(rest.captures).isEqualTo(whole.captures);
            assertThat(rest.keyframes.get(0)).isEqualTo(keyframe);
            assertThat(rest.nextSequence).isEqualTo(outcome.deliveredEvents());
            assertThat(read.events()).isEqualTo(outcome.deliveredEvents() - keyframe.getSequence());
            assertThat(keyframe.getLost() + rest.lost).isEqualTo(whole.lost);
            assertThat(rest.end).isEqualTo(whole.end);
        }
    }

    private CollectionOutcome record(Path file) throws Exception {
        String script = Files.writeString(folder.resolve("repeated.js"), SCRIPT).toString();
        java.lang.Process node = new ProcessBuilder(NodeExecutables.installed().toString(), script).start();
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of((int) node.pid())))
                .probes(ProbeSet.select(
                        List.of("node-fs", "profile", "sched", "syscall:openat(path=arg1:str) [stack]")))
                .followChildren(true)
                .limit(Duration.ofMinutes(2))
                .pieceLength(new PieceLength(Duration.ofMillis(1), Long.MAX_VALUE))
                .build();
        StopSignal stop = new StopSignal();
        try (Collector collector = Collector.open(request, stop, UprobeAttachMethod::best);
                FilePublisher publisher = FilePublisher.create(file)) {
            assertThat(node.inputReader().readLine()).isEqualTo("ready");
            return collector.run(new UntilKeyframes(publisher, stop));
        } finally {
            node.descendants().forEach(ProcessHandle::destroyForcibly);
            node.destroyForcibly();
        }
    }

    /** Reads a recording and keeps what the piece at hand has. */
    private static final class Pieces implements RecordingHandler {
        private final List<Capture> captures = new ArrayList<>();
        private final List<Keyframe> keyframes = new ArrayList<>();
        private final List<CaptureEnd> end = new ArrayList<>();
        private final Set<Integer> probes = new HashSet<>();
        private final Set<Integer> processes = new HashSet<>();
        private final Set<Integer> threads = new HashSet<>();
        private final Map<Long, List<Frame>> stacks = new HashMap<>();
        private final Set<Long> usedStacks = new HashSet<>();
        private final Set<Integer> usedProbes = new HashSet<>();
        private final Set<Integer> usedProcesses = new HashSet<>();
        private long nextSequence = -1;
        private long lost;

        @Override
        public void event(EventView event) {
            if (nextSequence >= 0) {
                assertThat(event.sequence()).isEqualTo(nextSequence);
            }
            nextSequence = event.sequence() + 1;
            usedProbes.add(event.probeId());
            usedProcesses.add(event.pid());
            if (event.stackId() != 0) {
                usedStacks.add(event.stackId());
            }
        }

        @Override
        public void capture(Capture capture) {
            captures.add(capture);
        }

        @Override
        public void probe(Probe probe) {
            probes.add(probe.getProbeId());
        }

        @Override
        public void process(Process process) {
            processes.add(process.getPid());
        }

        @Override
        public void thread(Thread thread) {
            threads.add(thread.getTid());
        }

        @Override
        public void stack(Stack stack) {
            stacks.put(stack.getStackId(), stack.getFrames());
        }

        @Override
        public void loss(Loss loss) {
            lost += loss.getCount();
        }

        @Override
        public void keyframe(Keyframe keyframe) {
            assertPiece();
            keyframes.add(keyframe);
            if (nextSequence >= 0) {
                assertThat(keyframe.getSequence()).isEqualTo(nextSequence);
                assertThat(stacks.values())
                        .as("a function that is there in each piece")
                        .anyMatch(frames -> frames.stream()
                                .anyMatch(frame -> frame.getSymbol().equals("repeated")));
            }
            nextSequence = keyframe.getSequence();
            usedProbes.clear();
            usedProcesses.clear();
            usedStacks.clear();
            probes.clear();
            processes.clear();
            threads.clear();
            stacks.clear();
            keyframe.getProbes().forEach(this::probe);
            keyframe.getProcesses().forEach(this::process);
            keyframe.getThreads().forEach(this::thread);
        }

        @Override
        public void captureEnd(CaptureEnd captureEnd) {
            end.add(captureEnd);
        }

        void assertPiece() {
            assertThat(probes).containsAll(usedProbes);
            assertThat(processes).containsAll(usedProcesses);
            assertThat(stacks.keySet()).containsAll(usedStacks);
        }
    }

    /** Stops when so many Keyframes have come. */
    private record UntilKeyframes(EventPublisher file, StopSignal stop, AtomicInteger count) implements EventPublisher {
        UntilKeyframes(EventPublisher file, StopSignal stop) {
            this(file, stop, new AtomicInteger());
        }

        @Override
        public boolean takesKeyframes() {
            return file.takesKeyframes();
        }

        @Override
        public void publish(EventEncoder event) {
            file.publish(event);
        }

        @Override
        public void publish(SpecificRecord metadata) {
            file.publish(metadata);
            if (metadata instanceof Keyframe && count.incrementAndGet() == KEYFRAMES) {
                stop.raise();
            }
        }

        @Override
        public void flush() {
            file.flush();
        }

        @Override
        public void complete() {
            file.complete();
        }

        @Override
        public long publishedBytes() {
            return file.publishedBytes();
        }

        @Override
        public void close() {
            // The test's.
        }
    }
}
