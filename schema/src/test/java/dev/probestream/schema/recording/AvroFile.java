package dev.probestream.schema.recording;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;

/** Writes recordings with Avro's own writers, also with schemas that are not quite ours. */
final class AvroFile {
    private AvroFile() {}

    /** The branches of our union; the caller's to change. */
    static List<Schema> kinds() {
        return new ArrayList<>(Recording.SCHEMA$.getField("content").schema().getTypes());
    }

    static Schema recordingOf(List<Schema> kinds) {
        Schema.Field field = new Schema.Field("content", Schema.createUnion(kinds));
        return Schema.createRecord("Recording", null, "dev.probestream.schema.record", false, List.of(field));
    }

    static void write(Path file, Schema recording, CodecFactory codec, List<SpecificRecord> contents)
            throws IOException {
        write(file, recording, codec, contents, FormatStamp.OWN);
    }

    static void write(Path file, Schema recording, CodecFactory codec, List<SpecificRecord> contents, FormatStamp stamp)
            throws IOException {
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(recording))) {
            writer.setCodec(codec);
            stamp.entries().forEach(writer::setMeta);
            writer.setSyncInterval(1_000);
            writer.create(recording, file.toFile());
            for (SpecificRecord content : contents) {
                writer.append(around(recording, content));
            }
        }
    }

    /** Writes events that have a field more than ours. */
    static void writeNewerEvents(Path file, CodecFactory codec, List<Event> events) throws IOException {
        writeNewerEvents(file, codec, events, FormatStamp.OWN);
    }

    static void writeNewerEvents(Path file, CodecFactory codec, List<Event> events, FormatStamp stamp)
            throws IOException {
        String newerField = "{\"name\":\"x\",\"type\":\"double\"},";
        Schema newerEvent = new Schema.Parser()
                .parse(Event.SCHEMA$.toString().replace("{\"name\":\"pid\"", newerField + "{\"name\":\"pid\""));
        List<Schema> kinds = kinds();
        kinds.set(0, newerEvent);
        Schema recording = recordingOf(kinds);
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(recording))) {
            writer.setCodec(codec);
            stamp.entries().forEach(writer::setMeta);
            writer.setSyncInterval(1_000);
            writer.create(recording, file.toFile());
            for (Event event : events) {
                GenericData.Record newer = new GenericData.Record(newerEvent);
                Event.SCHEMA$.getFields().forEach(field -> newer.put(field.name(), event.get(field.pos())));
                newer.put(
                        "kind",
                        new GenericData.EnumSymbol(newerEvent.getField("kind").schema(), event.getKind()));
                newer.put("x", 1.5);
                writer.append(around(recording, newer));
            }
        }
    }

    private static GenericRecord around(Schema recording, Object content) {
        GenericData.Record record = new GenericData.Record(recording);
        record.put("content", content);
        return record;
    }
}
