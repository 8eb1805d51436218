package dev.probestream.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingTest {
    @TempDir
    private Path folder;

    @Test
    void whatWasWrittenIsRead() throws IOException {
        Path file = folder.resolve("a.avro");
        EventEncoder encoder = new EventEncoder();
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            writer.append(new Clock(1L, 2L, 3L, 4L));
            encoder.begin(1, 0, 5, -1, 10, 11, 1, 2, EventKind.SPAN);
            encoder.beginNumbers(2);
            encoder.number(-7);
            encoder.number(Long.MIN_VALUE);
            encoder.beginStrings(1);
            encoder.string("grüße");
            encoder.end(8, 9, 0);
            writer.append(encoder);
        }
        List<String> seen = new ArrayList<>();
        ReadOutcome outcome = RecordingReader.read(file, new RecordingHandler() {
            @Override
            public void event(EventView event) {
                seen.add(event.kind() + " " + event.number(0) + " " + event.number(1) + " " + event.string(0));
            }

            @Override
            public void clock(Clock clock) {
                seen.add("clock " + clock.getBoottimeNs());
            }
        });
        assertThat(seen).containsExactly("clock 4", "SPAN -7 " + Long.MIN_VALUE + " grüße");
        assertThat(outcome.events()).isEqualTo(1);
        assertThat(outcome.isWhole()).isTrue();
    }
}
