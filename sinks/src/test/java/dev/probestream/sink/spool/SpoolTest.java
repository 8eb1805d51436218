package dev.probestream.sink.spool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
    @TempDir
    private Path folder;

    private final EventEncoder encoder = new EventEncoder();

    private void append(Spool spool, long sequence) throws Exception {
        encoder.begin(1, sequence, 1, -1, 1, 1, 0, 1, EventKind.INSTANT);
        encoder.beginNumbers(0);
        encoder.beginStrings(1);
        encoder.string("some text that makes the event a little longer, so that not all are staged");
        encoder.end(0, 0, 0);
        spool.append(encoder.bytes(), encoder.offset(), encoder.length());
    }

    private static List<Long> read(List<Path> recordings) throws Exception {
        List<Long> sequences = new ArrayList<>();
        for (Path recording : recordings) {
            RecordingReader.read(recording, new RecordingHandler() {
                @Override
                public void event(EventView event) {
                    sequences.add(event.sequence());
                }
            });
        }
        return sequences;
    }

    @Test
    void aHundredInterleavedSpoolsKeepTheirEventsInOrder() throws Exception {
        SpoolFolder spools = SpoolFolder.create(folder.resolve("spool"));
        List<Spool> all = new ArrayList<>();
        for (int capture = 0; capture < 100; capture++) {
            all.add(spools.spool(0, capture));
        }
        for (long sequence = 0; sequence < 1_000; sequence++) {
            if (sequence < 900 || sequence % 2 == 0) {
                for (Spool spool : all) {
                    append(spool, sequence);
                }
            }
        }

        List<Long> expected = LongStream.range(0, 1_000)
                .filter(sequence -> sequence < 900 || sequence % 2 == 0)
                .boxed()
                .toList();
        for (Spool spool : all) {
            assertThat(read(spool.finish())).isEqualTo(expected);
            spool.delete();
        }
        assertThat(folder.resolve("spool")).isEmptyDirectory();
    }

    @Test
    void aFewEventsMakeOneRecordingAtTheEnd() throws Exception {
        Spool spool = SpoolFolder.create(folder.resolve("spool")).spool(0, 1);
        append(spool, 5);
        assertThat(folder.resolve("spool")).isEmptyDirectory();

        assertThat(read(spool.finish())).containsExactly(5L);
    }
}
