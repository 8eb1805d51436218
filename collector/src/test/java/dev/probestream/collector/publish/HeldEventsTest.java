package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.publish.HeldEvents.Held;
import dev.probestream.schema.record.EventKind;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class HeldEventsTest {
    private final HeldEvents held = new HeldEvents();

    @Test
    void eventsComeOutInTheirOrder() {
        held.add(event(1, 10));
        held.add(event(2, 10));

        assertThat(held.first().metadataNeeded).isEqualTo(1);
        held.removeFirst();
        assertThat(held.first().metadataNeeded).isEqualTo(2);
        held.removeFirst();
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void bytesAreBoundedAndGivenBack() {
        Held half = event(1, (int) (HeldEvents.MAX_BYTES / 2) - 4);
        held.add(half);

        assertThat(held.hasRoom(half)).isTrue();
        held.add(half);
        assertThat(held.hasRoom(event(1, 0))).isFalse();
        held.removeFirst();
        assertThat(held.hasRoom(half)).isTrue();
    }

    @Test
    void eventThatIsAloneIsAlwaysHeld() {
        assertThat(held.hasRoom(event(1, (int) HeldEvents.MAX_BYTES + 1))).isTrue();
    }

    private static Held event(long metadataNeeded, int valueBytes) {
        return new Held(
                new ProducerRecord<>("events", 0, 0L, new byte[4], new byte[valueBytes]),
                EventKind.SPAN,
                metadataNeeded);
    }
}
