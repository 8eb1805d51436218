package dev.probestream.sink.finish;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.EventView;
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
 * Writes the tables of a segment: its events and requests into files of the segment, by day and hour, and the other tables
 * of its capture, which replace their previous version.
 */
final class TableMaker {
    private static final int PROGRESS_INTERVAL = 1 << 16;

    private final String topic;
    private final StagingFolder staging;

    TableMaker(String topic, StagingFolder staging) {
        this.topic = topic;
        this.staging = staging;
    }

    /** Writes the tables into the staging folder; returns warnings. */
    List<String> make(SegmentRecordings recordings, ConversionProgress progress) throws IOException {
        Path folder = staging.prepare("");
        Segment segment = recordings.segment();
        EventCounts events;
        try (ParquetTables tables = ParquetTables.events(folder, FinishedName.plain(segment), footer(segment))) {
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
                : List.of(
                        events.ofUnknownProbe() + " events belong to probes that the metadata topic does not describe");
    }

    private static void read(SegmentRecordings recordings, RecordingHandler handler, ConversionProgress progress)
            throws IOException {
        RecordingReader.read(recordings.metadata().path(), handler);
        RecordingHandler counting = reporting(handler, progress);
        for (Path recording : recordings.events()) {
            RecordingReader.read(recording, counting);
        }
    }

    /** Writes only the metadata tables into the staging folder. */
    void makeMetadata(MetadataRecording metadata) throws IOException {
        staging.prepare("");
        addMetadata(metadata);
    }

    private void addMetadata(MetadataRecording metadata) throws IOException {
        try (ParquetTables tables = ParquetTables.metadata(staging.path(), Map.of())) {
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

    private Map<String, String> footer(Segment segment) {
        return Map.of(
                "probestream.topic", topic,
                "probestream.partition", String.valueOf(segment.partition()),
                "probestream.first_offset", String.valueOf(segment.firstOffset()),
                "probestream.last_offset", String.valueOf(segment.lastOffset()));
    }
}
