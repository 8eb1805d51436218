package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.publish.HeldEvents.Held;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

class EventRecordsTest {
    private static final long MS = 1_000_000;
    private static final long CAPTURE_MS = SyntheticCapture.REALTIME_NS / MS;

    private final EventRecords records =
            new EventRecords("events", MessageFraming.SINGLE_OBJECT, SyntheticCapture.capture(), 6);
    private final EventEncoder encoder = new EventEncoder();

    @Test
    void timestampIsWhenTheEventHappened() {
        assertThat(records.record(event(EventKind.INSTANT, 5 * MS, -1)).timestamp())
                .isEqualTo(CAPTURE_MS + 5);
    }

    @Test
    void timestampOfAnEventWithADurationIsItsEnd() {
        assertThat(records.record(event(EventKind.SPAN, 5 * MS, 7 * MS)).timestamp())
                .isEqualTo(CAPTURE_MS + 12);
    }

    @Test
    void timeOfDayThatWasSetIsFollowed() {
        records.setClock(new Clock(
                SyntheticCapture.CAPTURE_ID,
                SyntheticCapture.MONOTONIC_NS + 60 * MS,
                SyntheticCapture.REALTIME_NS + 1_060 * MS,
                0L));

        assertThat(records.record(event(EventKind.INSTANT, 61 * MS, -1)).timestamp())
                .isEqualTo(CAPTURE_MS + 1_061);
    }

    @Test
    void eventsOfOneMillisecondShareTheObjectOfTheirTime() {
        Long first = records.record(event(EventKind.INSTANT, 5 * MS, -1)).timestamp();

        assertThat(records.record(event(EventKind.INSTANT, 5 * MS + 1, -1)).timestamp())
                .isSameAs(first);
    }

    @Test
    void headersOfAKindAreMadeOnce() {
        Header first = kindOf(records.record(event(EventKind.SPAN, 0, 1)));

        assertThat(first.value()).asString(StandardCharsets.UTF_8).isEqualTo("SPAN");
        assertThat(kindOf(records.record(event(EventKind.SPAN, 5, 1)))).isSameAs(first);
        assertThat(kindOf(records.record(event(EventKind.COUNTER, 5, -1))).value())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("COUNTER");
    }

    @Test
    void recordOfAHeldEventIsTheSame() {
        ProducerRecord<byte[], byte[]> record = records.record(event(EventKind.SPAN, 5 * MS, 1));

        assertThat(records.record(new Held(record, EventKind.SPAN, 1))).isEqualTo(record);
    }

    private static Header kindOf(ProducerRecord<byte[], byte[]> record) {
        return record.headers().lastHeader("kind");
    }

    private EventEncoder event(EventKind kind, long sinceCaptureNs, long durationNs) {
        encoder.begin(
                SyntheticCapture.CAPTURE_ID,
                0,
                SyntheticCapture.MONOTONIC_NS + sinceCaptureNs,
                durationNs,
                42,
                42,
                0,
                1,
                kind);
        encoder.beginNumbers(0);
        encoder.beginStrings(0);
        encoder.end(0, 0, 0);
        return encoder;
    }
}
