package dev.probestream.schema.message;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** The schemas that messages are written with, by fingerprint: those of this version, which reads no others. */
final class MessageSchemas {
    /** One for each kind of message; also published as resources {@code dev/probestream/schema/*.avsc}. */
    static final List<Schema> ALL = List.of(
            Event.SCHEMA$,
            Capture.SCHEMA$,
            Probe.SCHEMA$,
            Process.SCHEMA$,
            Thread.SCHEMA$,
            Stack.SCHEMA$,
            Clock.SCHEMA$,
            Loss.SCHEMA$,
            CaptureEnd.SCHEMA$,
            HitSummary.SCHEMA$,
            Gap.SCHEMA$,
            Cost.SCHEMA$);

    private static final Map<Schema, Long> FINGERPRINTS = new HashMap<>();
    private static final Map<Long, Schema> SCHEMAS = new HashMap<>();

    static {
        for (Schema schema : ALL) {
            long fingerprint = SingleObject.fingerprint(schema);
            FINGERPRINTS.put(schema, fingerprint);
            SCHEMAS.put(fingerprint, schema);
        }
    }

    private MessageSchemas() {}

    /** What stands in front of a record. */
    static long fingerprint(Schema schema) {
        Long fingerprint = FINGERPRINTS.get(schema);
        if (fingerprint == null) {
            throw new IllegalArgumentException("no message holds a " + schema.getFullName());
        }
        return fingerprint;
    }

    /** What a message was written with; null = unknown. */
    static @Nullable Schema of(long fingerprint) {
        return SCHEMAS.get(fingerprint);
    }

    /** The schema in JSON, as the resource has it: without what only concerns Java. */
    static String published(Schema schema) {
        try (InputStream resource =
                MessageSchemas.class.getResourceAsStream("/dev/probestream/schema/" + schema.getName() + ".avsc")) {
            return new Schema.Parser().parse(resource).toString();
        } catch (IOException e) {
            throw new UncheckedIOException("read the schema of " + schema.getName() + " from the jar", e);
        }
    }

    /** @param which schema a message names */
    static MessageFormatException unknown(int position, String which) {
        return MessageFormatException.ofUnknownSchema(
                position,
                "its schema (" + which
                        + ") is unknown to this Probestream: another version has written it, or it is none of ours; update"
                        + " this Probestream if that one is newer, else record again with this one");
    }
}
