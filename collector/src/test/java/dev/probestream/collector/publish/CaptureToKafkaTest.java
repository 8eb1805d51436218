package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.collector.Collector;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process, real probes and a real broker. */
@KernelTest(since = "5.8")
@Timeout(120)
class CaptureToKafkaTest {
    private static final int CALLS = 50_000;

    @TempDir
    private Path folder;

    @Test
    void everyEventOfACaptureIsInTheTopicOnceAndTheEndKnowsHowMany() throws Exception {
        CProgram calls = CProgram.compile(folder, "bpf/calls");
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("data"), 0);
                CProgram.Running program = calls.start()) {
            CollectionOutcome outcome = capture(broker, program);

            assertThat(outcome.deliveredEvents() + outcome.lostEvents()).isGreaterThanOrEqualTo(CALLS);
            assertThat(PublishedEvents.countInOrder(broker)).isEqualTo(outcome.deliveredEvents());
            List<CaptureEnd> ends = new ArrayList<>();
            List<ConsumerRecord<byte[], byte[]>> metadata = TopicContent.read(broker, Topics.METADATA);
            for (ConsumerRecord<byte[], byte[]> record : metadata) {
                assertThat(MetadataMessage.captureId(record.key())).isEqualTo(outcome.captureId());
                MetadataMessage.read(record.value(), MessageFraming.SINGLE_OBJECT, new RecordingHandler() {
                    @Override
                    public void captureEnd(CaptureEnd end) {
                        ends.add(end);
                    }
                });
            }
            assertThat(ends).singleElement().satisfies(end -> {
                assertThat(end.getDelivered()).isEqualTo(outcome.deliveredEvents());
                assertThat(end.getLost()).isEqualTo(outcome.lostEvents());
            });
            assertThat(TopicContent.key(metadata.get(0))).isEqualTo(outcome.captureId() + "/capture");
            assertThat(TopicContent.key(metadata.get(metadata.size() - 1))).isEqualTo(outcome.captureId() + "/end");
        }
    }

    private static CollectionOutcome capture(EmbeddedBroker broker, CProgram.Running program) throws Exception {
        List<ProbeSpec> probes = new ArrayList<>(ProbeSet.select(List.of("syscalls:all")));
        probes.addAll(ProbeSet.select(List.of("uprobe:tick (n=arg1:s64) [ustack]")));
        CollectionRequest request = CollectionRequest.of(TargetSelection.ofPids(List.of(program.pid())))
                .probes(probes)
                .ringSizeBytes(1 << 20)
                .build();
        StopSignal stop = new StopSignal();
        AtomicBoolean hasWorked = new AtomicBoolean();
        try (KafkaPublisher publisher =
                        KafkaPublisher.open(broker.clientProperties(), KafkaTopics.DEFAULT, stop::isRaised);
                Collector collector = Collector.open(request, stop)) {
            CollectionOutcome outcome = collector.run(publisher, progress -> {
                if (!hasWorked.getAndSet(true)) {
                    ask(program, "repeat " + CALLS);
                    stop.raise();
                }
            });
            assertThat(outcome.captureId()).isEqualTo(collector.captureId());
            assertThat(publisher.counters().acknowledgedEvents()).isEqualTo(outcome.deliveredEvents());
            return outcome;
        }
    }

    private static void ask(CProgram.Running program, String request) {
        try {
            program.ask(request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
