package dev.probestream.convert.perfetto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TrackEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written by hand, read by plain protobuf. */
class ProtoBufferTest {
    private final ProtoBuffer buffer = new ProtoBuffer(4);

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 16_383, 16_384, Long.MAX_VALUE, -1, Long.MIN_VALUE})
    void numbersOfAnySizeAreReadBack(long value) throws InvalidProtocolBufferException {
        buffer.varint(Tags.INT_VALUE, value);
        assertThat(annotation().getIntValue()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 120, 126, 127, 128, 16_382, 16_383, 16_384, 3_000_000})
    void lengthsOfAnySizeArePatched(int length) throws InvalidProtocolBufferException {
        byte[] text = new byte[length];
        Arrays.fill(text, (byte) 'x');
        int packet = buffer.begin(Tags.PACKET);
        int event = buffer.begin(Tags.TRACK_EVENT);
        int annotation = buffer.begin(Tags.DEBUG_ANNOTATIONS);
        buffer.text(Tags.STRING_VALUE, text, 0, length);
        buffer.end(annotation);
        buffer.end(event);
        buffer.varint(Tags.TIMESTAMP, 5);
        buffer.end(packet);
        Trace trace = Trace.parseFrom(Arrays.copyOf(buffer.bytes(), buffer.sizeBytes()));
        assertThat(trace.getPacket(0).getTimestamp()).isEqualTo(5);
        assertThat(trace.getPacket(0).getTrackEvent().getDebugAnnotations(0).getStringValue())
                .hasSize(length);
    }

    @Test
    void bytesThatAreNoTextAreReplaced() throws InvalidProtocolBufferException {
        byte[] bytes = "naïve".getBytes(StandardCharsets.ISO_8859_1);
        buffer.text(Tags.STRING_VALUE, bytes, 0, bytes.length);
        assertThat(annotation().getStringValue()).isEqualTo("na\uFFFDve");
    }

    @Test
    void doublesAreReadBack() throws InvalidProtocolBufferException {
        buffer.float64(Tags.DOUBLE_COUNTER_VALUE, 1.5);
        assertThat(TrackEvent.parseFrom(Arrays.copyOf(buffer.bytes(), buffer.sizeBytes()))
                        .getDoubleCounterValue())
                .isEqualTo(1.5);
    }

    private DebugAnnotation annotation() throws InvalidProtocolBufferException {
        return DebugAnnotation.parseFrom(Arrays.copyOf(buffer.bytes(), buffer.sizeBytes()));
    }
}
