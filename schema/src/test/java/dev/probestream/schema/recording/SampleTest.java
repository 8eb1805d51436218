package dev.probestream.schema.recording;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.TestRecords;
import dev.probestream.schema.format.FormatVersion;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.junit.jupiter.api.Test;

/** What this version of the format has written stays readable. */
class SampleTest {
    @Test
    void theSampleIsRead() throws IOException, URISyntaxException {
        CollectingHandler handler = new CollectingHandler();
        ReadOutcome outcome = RecordingReader.read(sample(), handler);
        assertThat(outcome.isWhole()).isTrue();
        assertThat(outcome.records()).isEqualTo(12 + 6);
        assertThat(handler.records().subList(0, 11)).isEqualTo(TestRecords.metadata());
        assertThat(handler.records().get(11)).isEqualTo(TestRecords.keyframe(0, 2_500));
        for (int sequence = 0; sequence < 6; sequence++) {
            assertEvent((Event) handler.records().get(12 + sequence), sequence);
        }
    }

    /**
     * CRC-64-AVRO of the parsing canonical form. A change here is a new version of the format, which needs a new sample.
     */
    @Test
    void theSchemasAreThoseOfFormat3() {
        assertThat(fingerprint(Event.SCHEMA$)).isEqualTo("6b1120b0210c94f1");
        assertThat(fingerprint(Recording.SCHEMA$)).isEqualTo("8827552d121d46f8");
        assertThat(FormatVersion.CURRENT).isEqualTo(new FormatVersion(3, 0));
    }

    private static void assertEvent(Event event, int sequence) {
        List<EventKind> kinds = List.of(
                EventKind.INSTANT,
                EventKind.SPAN,
                EventKind.OPEN_SPAN,
                EventKind.COUNTER,
                EventKind.SWITCH,
                EventKind.WAKING);
        assertThat(event.getSequence()).isEqualTo(sequence);
        assertThat(event.getKind()).isEqualTo(kinds.get(sequence));
        assertThat(event.getTimestampNs()).isEqualTo(1_000 + sequence);
        assertThat(event.getDurationNs()).isEqualTo(sequence - 1);
        assertThat(event.getPid()).isEqualTo(42);
        assertThat(event.getTid()).isEqualTo(43);
        assertThat(event.getCpu()).isEqualTo(1);
        assertThat(event.getProbeId()).isEqualTo(1);
        assertThat(event.getNumbers()).containsExactly((long) sequence, Long.MIN_VALUE + sequence);
        assertThat(event.getStrings()).containsExactly("/srv/grüße/" + sequence);
        assertThat(event.getReturnValue()).isEqualTo(-2);
        assertThat(event.getStackId()).isEqualTo(99);
        assertThat(event.getUnavailable()).isEqualTo(Long.MIN_VALUE);
    }

    private static String fingerprint(Schema schema) {
        return Long.toHexString(SchemaNormalization.parsingFingerprint64(schema));
    }

    private static Path sample() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(SampleTest.class.getResource("/samples/format3.avro"))
                .toURI());
    }
}
