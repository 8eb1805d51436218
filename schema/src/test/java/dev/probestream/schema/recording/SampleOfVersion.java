package dev.probestream.schema.recording;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.TestRecords;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import org.apache.avro.specific.SpecificRecord;

/** Writes the sample of the present version; see the README beside the samples. */
final class SampleOfVersion {
    private SampleOfVersion() {}

    public static void main(String[] arguments) throws RecordingException {
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(Path.of(arguments[0]))) {
            for (SpecificRecord record : TestRecords.metadata()) {
                writer.append(record);
            }
            writer.append(TestRecords.keyframe(0, 2_500));
            EventKind[] kinds = EventKind.values();
            for (int sequence = 0; sequence < kinds.length; sequence++) {
                encoder.begin(7, sequence, 1_000 + sequence, sequence - 1, 42, 43, 1, 1, kinds[sequence]);
                encoder.beginNumbers(2);
                encoder.number(sequence);
                encoder.number(Long.MIN_VALUE + sequence);
                encoder.beginStrings(1);
                encoder.string("/srv/grüße/" + sequence);
                encoder.end(-2, 99, 1L << 63);
                writer.append(encoder);
            }
        }
    }
}
