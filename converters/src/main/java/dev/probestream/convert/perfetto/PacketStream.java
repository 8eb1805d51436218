package dev.probestream.convert.perfetto;

import dev.probestream.schema.perfetto.TracePacket;
import java.io.IOException;
import java.io.OutputStream;

/** The packets of a trace on their way to the stream. */
final class PacketStream {
    private static final int FLUSH_BYTES = 1 << 18;

    private final OutputStream out;
    private final ProtoBuffer buffer = new ProtoBuffer(FLUSH_BYTES + (1 << 12));
    private int packet;

    PacketStream(OutputStream out) {
        this.out = out;
    }

    /** Where packets are written. */
    ProtoBuffer buffer() {
        return buffer;
    }

    /** Begins a packet and returns the buffer for its fields. */
    ProtoBuffer begin() {
        packet = buffer.begin(Tags.PACKET);
        return buffer;
    }

    void end() throws IOException {
        buffer.end(packet);
        if (buffer.sizeBytes() >= FLUSH_BYTES) {
            drain();
        }
    }

    /** Writes a packet built with the generated classes. */
    void write(TracePacket whole) throws IOException {
        write(whole.toByteArray());
    }

    /** Writes a packet that is encoded already. */
    void write(byte[] bytes) throws IOException {
        buffer.bytes(Tags.PACKET, bytes, 0, bytes.length);
        if (buffer.sizeBytes() >= FLUSH_BYTES) {
            drain();
        }
    }

    void flush() throws IOException {
        drain();
        out.flush();
    }

    private void drain() throws IOException {
        out.write(buffer.bytes(), 0, buffer.sizeBytes());
        buffer.clear();
    }
}
