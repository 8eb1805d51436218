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
import java.util.Objects;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The schemas that messages of {@link Topics#METADATA} can be written with, by fingerprint: those of today, and those of
 * earlier versions, which a compacted topic keeps.
 */
final class MessageSchemas {
    /** One for each kind of message, as this version writes them; also published as resources {@code dev/probestream/schema/*.avsc}. */
    static final List<Schema> CURRENT = List.of(
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

    /**
     * What this version reads. Version 1 had no roles of probes and no places in sources, version 2 no places of calls,
     * version 3 not how processes ended, version 4 no derived ends.
     */
    static final MessageSchemas KNOWN = new MessageSchemas(List.of(
            earlier("Probe-1"), earlier("Stack-1"), earlier("Stack-2"), earlier("Process-1"), earlier("Probe-2")));

    private final Map<String, Long> fingerprints = new HashMap<>();
    private final Map<String, Schema> readers = new HashMap<>();
    private final Map<Long, Schema> writers = new HashMap<>();

    /** @param earlier schemas of the same full names, which today's can read */
    MessageSchemas(List<Schema> earlier) {
        for (Schema schema : CURRENT) {
            readers.put(schema.getFullName(), schema);
            fingerprints.put(schema.getFullName(), SingleObject.fingerprint(schema));
            writers.put(SingleObject.fingerprint(schema), schema);
        }
        earlier.forEach(schema -> writers.put(SingleObject.fingerprint(schema), schema));
    }

    private static Schema earlier(String name) {
        String resource = "/dev/probestream/schema/earlier/" + name + ".avsc";
        try (InputStream in = MessageSchemas.class.getResourceAsStream(resource)) {
            return new Schema.Parser().parse(Objects.requireNonNull(in, resource));
        } catch (IOException e) {
            throw new UncheckedIOException("read the schema " + resource, e);
        }
    }

    /** What stands in front of a record that this version writes. */
    long fingerprint(Schema current) {
        Long fingerprint = fingerprints.get(current.getFullName());
        if (fingerprint == null) {
            throw new IllegalArgumentException("no message holds a " + current.getFullName());
        }
        return fingerprint;
    }

    /** What a message was written with; null = unknown. */
    @Nullable
    Schema writer(long fingerprint) {
        return writers.get(fingerprint);
    }

    /** Our schema of the same record. */
    Schema reader(Schema writer) {
        Schema reader = readers.get(writer.getFullName());
        if (reader == null) {
            throw new IllegalArgumentException("no message holds a " + writer.getFullName());
        }
        return reader;
    }
}
