package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.broker.EmbeddedBroker;
import dev.probestream.schema.EventView;
import dev.probestream.schema.message.EventMessage;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.Topics;
import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Checks that the events of one capture stand in their topic once, in order, without a gap. */
final class PublishedEvents {
    private PublishedEvents() {}

    /** @return how many there are: the sequence numbers are 0 to one less */
    static long countInOrder(EmbeddedBroker broker) throws IOException {
        EventView view = new EventView();
        long expected = 0;
        int partition = -1;
        for (ConsumerRecord<byte[], byte[]> record : TopicContent.read(broker, Topics.EVENTS)) {
            byte[] value = record.value();
            view.wrap(value, EventMessage.bodyOffset(value, MessageFraming.SINGLE_OBJECT), value.length);
            assertThat(view.sequence()).isEqualTo(expected++);
            assertThat(partition == -1 || partition == record.partition())
                    .as("one capture is in one partition")
                    .isTrue();
            partition = record.partition();
        }
        return expected;
    }
}
