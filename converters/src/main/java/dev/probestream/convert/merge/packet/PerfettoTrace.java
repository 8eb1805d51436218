package dev.probestream.convert.merge.packet;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.probestream.convert.merge.track.MergeFormatException;
import dev.probestream.convert.merge.track.TraceBytes;
import dev.probestream.convert.merge.track.TraceKind;
import dev.probestream.schema.perfetto.TracePacket;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Reads a Perfetto trace, packet by packet; packets that are compressed in bundles are unpacked. */
public final class PerfettoTrace {
    /** Handles one packet; it may be kept. */
    @FunctionalInterface
    public interface PacketHandler {
        void packet(TracePacket packet) throws IOException;
    }

    /**
     * What a file was found to hold.
     *
     * @param packets how many packets were handed over
     * @param isCut whether it ends in the middle
     * @param sizeBytes its length, unpacked
     */
    public record Extent(long packets, boolean isCut, long sizeBytes) {}

    /** Field 1 of a Trace, of variable length. */
    private static final int PACKET_TAG = 0x0A;

    /** Perfetto's own writer makes none of more than 512 MiB, and bundles of far less. */
    private static final long MAX_PACKET_BYTES = 256 << 20;

    private static final int MAX_LENGTH_BITS = 35;

    private final Path file;
    private final long maxPackets;
    private final PacketHandler handler;
    private long packets;

    private PerfettoTrace(Path file, long maxPackets, PacketHandler handler) {
        this.file = file;
        this.maxPackets = maxPackets;
        this.handler = handler;
    }

    /**
     * Hands over the packets in the order of the file, {@code maxPackets} at most.
     *
     * @throws MergeFormatException when the file is not a trace, or is damaged before its end
     */
    public static Extent read(Path file, long maxPackets, PacketHandler handler) throws IOException {
        return new PerfettoTrace(file, maxPackets, handler).read();
    }

    private Extent read() throws IOException {
        try (TraceBytes in = new TraceBytes(TraceKind.open(file), false)) {
            boolean isCut = false;
            try {
                isCut = !all(in, in, true);
            } catch (ZipException e) {
                throw broken(in.positionBytes(), "it cannot be unpacked any further (" + e.getMessage() + ")", e);
            }
            if (packets == 0) {
                throw broken(in.positionBytes(), "it has no packet", null);
            }
            return new Extent(packets, isCut || in.isCompressionCut(), in.positionBytes());
        }
    }

    /** False = they end in the middle. {@code position} is where we are in the file. */
    private boolean all(InputStream in, TraceBytes position, boolean mayBeBundles) throws IOException {
        while (packets < maxPackets) {
            long atBytes = position.positionBytes();
            int tag = in.read();
            if (tag < 0) {
                return true;
            }
            if (tag != PACKET_TAG) {
                throw broken(atBytes, "a packet should begin there", null);
            }
            long length = length(in, atBytes);
            if (length < 0) {
                return false;
            }
            byte[] bytes = in.readNBytes((int) length);
            if (bytes.length < length) {
                return false;
            }
            packet(bytes, atBytes, position, mayBeBundles);
        }
        return true;
    }

    /** -1 = the file ends in it. */
    private long length(InputStream in, long atBytes) throws IOException {
        long length = 0;
        for (int shift = 0; shift < MAX_LENGTH_BITS; shift += 7) {
            int next = in.read();
            if (next < 0) {
                return -1;
            }
            length |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                if (length > MAX_PACKET_BYTES) {
                    break;
                }
                return length;
            }
        }
        throw broken(atBytes, "the packet there is too long for one", null);
    }

    private void packet(byte[] bytes, long atBytes, TraceBytes position, boolean mayBeBundle) throws IOException {
        TracePacket packet;
        try {
            packet = TracePacket.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw broken(atBytes, "the packet there is not valid protobuf (" + e.getMessage() + ")", e);
        }
        if (!packet.hasCompressedPackets()) {
            packets++;
            handler.packet(packet);
            return;
        }
        if (!mayBeBundle) {
            throw broken(atBytes, "a compressed bundle of packets within another one", null);
        }
        InputStream bundle = new InflaterInputStream(
                new ByteArrayInputStream(packet.getCompressedPackets().toByteArray()));
        boolean isWhole;
        try {
            isWhole = all(bundle, position, false);
        } catch (ZipException e) {
            throw broken(atBytes, "the compressed packets there cannot be unpacked (" + e.getMessage() + ")", e);
        } catch (EOFException e) {
            isWhole = false;
        }
        if (!isWhole) {
            throw broken(atBytes, "the compressed packets there end too early", null);
        }
    }

    private MergeFormatException broken(long atBytes, String reason, @Nullable Throwable cause) {
        return packets == 0
                ? new MergeFormatException(
                        file,
                        atBytes,
                        "not a trace but a binary file of unknown kind (Chrome's JSON and Perfetto's protobuf can be"
                                + " merged)",
                        cause)
                : MergeFormatException.brokenAt(file, atBytes, reason, cause);
    }
}
