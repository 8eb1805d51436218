package dev.probestream.sink.finish;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.EventView;
import dev.probestream.schema.message.Topics;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import dev.probestream.sink.metadata.MetadataRecording;
import dev.probestream.sink.position.FinishedName;
import dev.probestream.sink.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Makes the tables of a slice: those of its events and requests in files of the slice's own, by day and hour, and the
 * other tables of its capture, which replace their earlier state.
 */
final class TableMaker {
    private static final int PROGRESS_INTERVAL = 1 << 16;

    private final StagingFolder stage;

    TableMaker(StagingFolder stage) {
        this.stage = stage;
    }

    /** Leaves the tables in the stage; returns what is to be said about them. */
    List<String> make(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        Path folder = stage.prepare("");
        Segment slice = recordings.slice();
        EventCounts events;
        try (ParquetTables tables = ParquetTables.events(folder, FinishedName.plain(slice), footer(slice))) {
            read(recordings, tables, progress);
            events = tables.counts();
            recordings.requireAll(events.written());
            if (tables.needSecondReading()) {
                read(recordings, tables.secondReading(), progress);
            }
            tables.complete();
        }
        if (recordings.isMetadataNew()) {
            addMetadata(recordings.metadata());
        }
        return events.ofUnknownProbe() == 0
                ? List.of()
                : List.of(events.ofUnknownProbe() + " events are of probes that the metadata topic does not describe");
    }

    private static void read(SegmentRecordings recordings, RecordingHandler handler, ConversionProgress progress)
            throws IOException {
        RecordingReader.read(recordings.metadata().path(), handler);
        RecordingHandler counting = reporting(handler, progress);
        for (Path recording : recordings.events()) {
            RecordingReader.read(recording, counting);
        }
    }

    /** Leaves only the tables of metadata in the stage. */
    void makeMetadata(MetadataRecording metadata) throws IOException {
        stage.prepare("");
        addMetadata(metadata);
    }

    private void addMetadata(MetadataRecording metadata) throws IOException {
        try (ParquetTables tables = ParquetTables.metadata(stage.path(), Map.of())) {
            RecordingReader.read(metadata.path(), tables);
            tables.complete();
        }
    }

    private static RecordingHandler reporting(RecordingHandler next, ConversionProgress progress) {
        return new RecordingHandler() {
            private long events;

            @Override
            public void event(EventView event) throws IOException {
                if (++events % PROGRESS_INTERVAL == 0) {
                    progress.reached(1, events);
                }
                next.event(event);
            }
        };
    }

    private static Map<String, String> footer(Segment slice) {
        return Map.of(
                "probestream.topic", Topics.EVENTS,
                "probestream.partition", String.valueOf(slice.partition()),
                "probestream.first_offset", String.valueOf(slice.firstOffset()),
                "probestream.last_offset", String.valueOf(slice.lastOffset()));
    }
}
