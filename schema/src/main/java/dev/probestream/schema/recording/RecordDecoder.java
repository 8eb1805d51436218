package dev.probestream.schema.recording;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.RecordData;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the records of blocks and hands them to a handler. Events whose layout is ours are viewed in place; all else
 * goes through Avro, which resolves what another version has written into our classes. A capture whose beginning was not
 * read begins with its first {@link Keyframe}.
 */
final class RecordDecoder {
    /** Equal to no byte: where events have another layout than ours, none is viewed in place. */
    private static final int NONE = 256;

    private final RecordingHandler handler;
    private final SpecificDatumReader<Recording> records;
    /** The byte in front of an event that can be viewed in place. */
    private final int eventBranchByte;

    private final EventView view = new EventView();
    private final EventEncoder resolvedEvent = new EventEncoder();
    private @Nullable BinaryDecoder decoder;
    /** Those that have begun, with a Capture or a Keyframe. */
    private final Set<Long> begun = new HashSet<>();

    private long events;
    private long otherRecords;

    RecordDecoder(Schema writerSchema, RecordingHandler handler) {
        this.handler = handler;
        this.records = new SpecificDatumReader<>(writerSchema, Recording.SCHEMA$, RecordData.INSTANCE);
        this.eventBranchByte = eventBranchByte(writerSchema);
    }

    long events() {
        return events;
    }

    long otherRecords() {
        return otherRecords;
    }

    /** Delivers the records of the block; what is wrong with it becomes a damage, and what the handler throws passes. */
    void deliver(BlockReader block) throws IOException {
        byte[] data = block.data();
        int limit = block.lengthBytes();
        int position = 0;
        long index = 0;
        while (position < limit) {
            boolean isInPlace = data[position] == eventBranchByte;
            Object content = view;
            try {
                if (isInPlace) {
                    position = view.wrap(data, position + 1, limit);
                } else {
                    BinaryDecoder rest = decoder(data, position, limit);
                    content = resolve(rest);
                    position = limit - rest.remainingBytes();
                }
            } catch (MalformedEventException | BrokenBlockException e) {
                block.markBroken("record " + index + " of the block's " + block.recordCount() + " cannot be read ("
                        + e.getMessage() + "); those before it were read");
                return;
            }
            index++;
            deliver(content);
        }
        if (index != block.recordCount()) {
            block.markOdd("the block claims " + block.recordCount() + " records, but has " + index
                    + ", all of which were read");
        }
    }

    private BinaryDecoder decoder(byte[] data, int position, int limit) {
        decoder = DecoderFactory.get().binaryDecoder(data, position, limit - position, decoder);
        return decoder;
    }

    /** Reads a record through Avro; an event is then in the view. */
    private Object resolve(BinaryDecoder rest) throws BrokenBlockException {
        try {
            Object content = records.read(null, rest).getContent();
            if (content instanceof Event event) {
                resolvedEvent.encode(event);
                int start = resolvedEvent.offset();
                view.wrap(resolvedEvent.bytes(), start, start + resolvedEvent.length());
                return view;
            }
            return content;
        } catch (IOException | RuntimeException e) {
            // Not only Avro's own exceptions: damaged bytes make its readers run into casts and array bounds.
            throw new BrokenBlockException(e.toString(), e);
        }
    }

    private void deliver(Object content) throws IOException {
        if (content == view) {
            events++;
            handler.event(view);
            return;
        }
        otherRecords++;
        if (content instanceof Capture capture) {
            begun.add(capture.getCaptureId());
        } else if (content instanceof Keyframe keyframe && begun.add(keyframe.getCaptureId())) {
            beginWith(keyframe);
        }
        RecordVisitor.visit((SpecificRecord) content, handler);
    }

    /** The beginning of its capture was not read: what is in it takes the place of the records there. */
    private void beginWith(Keyframe keyframe) throws IOException {
        handler.capture(keyframe.getCapture());
        handler.clock(keyframe.getClock());
        for (Probe probe : keyframe.getProbes()) {
            handler.probe(probe);
        }
        for (Process process : keyframe.getProcesses()) {
            handler.process(process);
        }
        for (Thread thread : keyframe.getThreads()) {
            handler.thread(thread);
        }
    }

    private static int eventBranchByte(Schema writerSchema) {
        Schema content = writerSchema.getField("content").schema();
        if (writerSchema.getFields().size() != 1 || content.getType() != Schema.Type.UNION) {
            return NONE;
        }
        Integer branch = content.getIndexNamed(Event.SCHEMA$.getFullName());
        if (branch == null || branch >= 64) {
            return NONE;
        }
        boolean isOurs =
                SchemaNormalization.parsingFingerprint64(content.getTypes().get(branch))
                        == SchemaNormalization.parsingFingerprint64(Event.SCHEMA$);
        return isOurs ? 2 * branch : NONE;
    }
}
