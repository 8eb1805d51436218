package dev.probestream.convert.chrome;

import java.io.IOException;
import java.io.OutputStream;

/** The events of a trace on their way to the stream, one a line. */
final class EventStream {
    private static final int FLUSH_BYTES = 1 << 18;
    private static final byte[] HEAD = JsonBuffer.ascii("{\"traceEvents\":[\n");
    private static final byte[] NEXT = JsonBuffer.ascii(",\n");
    private static final byte[] PHASE = JsonBuffer.ascii("{\"ph\":\"");
    private static final byte[] NAME = JsonBuffer.ascii("\",\"name\":");
    private static final byte[] QUOTE_COMMA = JsonBuffer.ascii("\",");
    private static final byte[] TS = JsonBuffer.ascii(",\"ts\":");
    private static final byte[] PID = JsonBuffer.ascii(",\"pid\":");
    private static final byte[] TID = JsonBuffer.ascii(",\"tid\":");

    private final OutputStream out;
    private final JsonBuffer buffer = new JsonBuffer(FLUSH_BYTES + (1 << 14));
    private boolean hasEvents;

    EventStream(OutputStream out) {
        this.out = out;
    }

    /** Where events are written. */
    JsonBuffer buffer() {
        return buffer;
    }

    /** Begins an event of that phase; {@code nameAndCategory} are its members "name" and, perhaps, "cat". */
    JsonBuffer begin(char phase, byte[] nameAndCategory, long timestampNs) {
        open(phase);
        buffer.raw(QUOTE_COMMA);
        buffer.raw(nameAndCategory);
        time(timestampNs);
        return buffer;
    }

    /** Begins an event with a name of its own; its time, if it has one, is to follow. */
    JsonBuffer begin(char phase, String name) {
        open(phase);
        buffer.raw(NAME);
        buffer.text(name);
        return buffer;
    }

    /** As above, of a name that is meant to be UTF-8. */
    JsonBuffer beginNamed(char phase, byte[] utf8Name, int lengthBytes) {
        open(phase);
        buffer.raw(NAME);
        buffer.text(utf8Name, 0, lengthBytes);
        return buffer;
    }

    private void open(char phase) {
        next();
        buffer.raw(PHASE);
        buffer.raw(phase);
    }

    private void next() {
        buffer.raw(hasEvents ? NEXT : HEAD);
        hasEvents = true;
    }

    /** Adds an event that is written already. */
    void append(byte[] event) throws IOException {
        next();
        buffer.raw(event);
        drainWhenFull();
    }

    void time(long timestampNs) {
        buffer.raw(TS);
        buffer.microseconds(timestampNs);
    }

    void process(int pid) {
        buffer.raw(PID);
        buffer.number(pid);
    }

    void thread(int tid) {
        buffer.raw(TID);
        buffer.number(tid);
    }

    void end() throws IOException {
        buffer.raw('}');
        drainWhenFull();
    }

    private void drainWhenFull() throws IOException {
        if (buffer.sizeBytes() >= FLUSH_BYTES) {
            drain();
        }
    }

    /** Completes the file; {@code members} follow the events. */
    void finish(byte[] members) throws IOException {
        if (!hasEvents) {
            buffer.raw(JsonBuffer.ascii("{\"traceEvents\":["));
        }
        buffer.raw(JsonBuffer.ascii("\n],\n"));
        buffer.raw(members);
        buffer.raw(JsonBuffer.ascii("}\n"));
        drain();
        out.flush();
    }

    private void drain() throws IOException {
        out.write(buffer.bytes(), 0, buffer.sizeBytes());
        buffer.clear();
    }
}
