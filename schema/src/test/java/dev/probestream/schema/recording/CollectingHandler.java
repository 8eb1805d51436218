package dev.probestream.schema.recording;

import dev.probestream.schema.EventCodecTest;
import dev.probestream.schema.EventView;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;

/** Keeps every record that it is given, events as records of their own. */
public final class CollectingHandler implements RecordingHandler {
    private final List<SpecificRecord> records = new ArrayList<>();

    public List<SpecificRecord> records() {
        return records;
    }

    @Override
    public void event(EventView event) {
        records.add(EventCodecTest.recordOf(event));
    }

    @Override
    public void record(SpecificRecord record) {
        records.add(record);
    }
}
