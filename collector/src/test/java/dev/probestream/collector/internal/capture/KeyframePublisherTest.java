package dev.probestream.collector.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

class KeyframePublisherTest {
    private static final Clock CLOCK = new Clock(7L, 5L, 6L, 7L);

    private final List<SpecificRecord> published = new ArrayList<>();

    @Test
    void whatHasEndedIsInOneKeyframeMore() {
        KeyframePublisher publisher = new KeyframePublisher(new Kept(true));
        publisher.publish(capture());
        publisher.publish(process(10, -1));
        publisher.publish(process(11, -1));
        publisher.publish(thread(12, -1));
        publisher.publish(process(11, 3));
        publisher.publish(thread(12, 3));
        publisher.publish(new Loss(7L, 1, 0, 1L, 2L, 17L, LossReason.RING_FULL));

        publisher.keyframe(100, CLOCK);
        Keyframe first = last();
        assertThat(first.getSequence()).isEqualTo(100);
        assertThat(first.getLost()).isEqualTo(17);
        assertThat(first.getCapture()).isEqualTo(capture());
        assertThat(first.getProcesses()).containsExactlyInAnyOrder(process(10, -1), process(11, 3));
        assertThat(first.getThreads()).containsExactly(thread(12, 3));

        publisher.keyframe(200, CLOCK);
        assertThat(last().getProcesses()).containsExactly(process(10, -1));
        assertThat(last().getThreads()).isEmpty();
        assertThat(last().getLost()).isEqualTo(17);
    }

    /** It would keep all processes of a service that runs for months. */
    @Test
    void nothingIsKeptForADestinationThatTakesNone() {
        KeyframePublisher publisher = new KeyframePublisher(new Kept(false));
        publisher.publish(capture());
        publisher.publish(process(10, -1));

        assertThat(published).containsExactly(capture(), process(10, -1));
        assertThatThrownBy(() -> publisher.keyframe(1, CLOCK))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a Keyframe comes after the Capture");
    }

    private Keyframe last() {
        return (Keyframe) published.get(published.size() - 1);
    }

    private static Capture capture() {
        return new Capture(7L, "host", "boot", "Linux", "6", "#1", "x86_64", 2, "0.1.0", List.of(), 1L, 2L, 3L);
    }

    private static Process process(int pid, long endNs) {
        return new Process(7L, pid, 1, 0, "node", "/usr/bin/node", List.of(), 1L, endNs, -1);
    }

    private static Thread thread(int tid, long endNs) {
        return new Thread(7L, 10, tid, "worker", 1L, endNs);
    }

    private final class Kept implements EventPublisher {
        private final boolean takesKeyframes;

        Kept(boolean takesKeyframes) {
            this.takesKeyframes = takesKeyframes;
        }

        @Override
        public boolean takesKeyframes() {
            return takesKeyframes;
        }

        @Override
        public void publish(EventEncoder event) {
            // There is none.
        }

        @Override
        public void publish(SpecificRecord metadata) {
            published.add(metadata);
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void complete() {
            // Nothing is buffered.
        }

        @Override
        public long publishedBytes() {
            return 0;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
