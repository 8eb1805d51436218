package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Http2Header;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Emits the code that finds one header among those that came last on an HTTP/2 stream, where Node has them until JavaScript gets
 * them (src/node_http2.h).
 *
 * <pre>
 * offset  structure, field
 *         nghttp2_frame_hd (nghttp2.h)
 *      8  stream_id             s32
 *         Http2Session::streams_, std::unordered_map of libstdc++
 *      0  buckets               pointer to pointers, each to what lies before the first node of the bucket; 0 = empty
 *      8  bucket count
 *         its node
 *      0  next
 *      8  id of the stream      s32
 *     16  Http2Stream*
 *         Http2Stream::current_headers_, std::vector
 *      0  begin
 *      8  end
 *         NgHeader (src/node_http_common.h), 72 bytes
 *     24  nghttp2_rcbuf* of the name
 *     48  nghttp2_rcbuf* of the value
 *         nghttp2_rcbuf (nghttp2_rcbuf.h)
 *     16  base
 *     24  length
 * </pre>
 *
 * Where streams_ and current_headers_ lie is what differs between versions; the argument has it. At other places there is no node
 * with the id of the stream and no header of the name, so nothing is read there.
 */
final class Http2HeaderCode {
    private static final int FRAME_STREAM_ID = 8;
    private static final int NODE_BYTES = 24;
    private static final int NODE_ID = 8;
    private static final int NODE_STREAM = 16;
    private static final int HEADER_BYTES = 72;
    private static final int HEADER_NAME = 24;
    private static final int HEADER_VALUE = 48;
    private static final int RCBUF_BASE = 16;

    private static final int PAIR_BYTES = 2 * Long.BYTES;
    private static final int BUFFER_BYTES = 32;

    /** Nodes of a bucket that are looked at: libstdc++ has at most as many nodes as buckets. */
    private static final int MAX_NODES = 8;

    /** Headers that are looked at; what has more of them has none to us. */
    private static final int MAX_HEADERS = 64;

    private final Assembler assembler;
    private final ArgumentAccess access;
    private final MemoryCode memory;
    /** What was read last. */
    private final int bufferSlot;
    /** Begin and end of what is left of the headers; before that a node and the id. */
    private final int rangeSlot;
    /** Address and length of the value; a length of -1: not found yet. */
    private final int foundSlot;

    /** Where something is read. */
    private final int pointerSlot;
    /** The session, the stream, and then the value of the header that is looked at. */
    private final int valueSlot;
    /** How often a loop may go on. */
    private final int leftSlot;

    Http2HeaderCode(Assembler assembler, ArgumentAccess access, MemoryCode memory) {
        this.assembler = assembler;
        this.access = access;
        this.memory = memory;
        this.bufferSlot = assembler.stackSlot(BUFFER_BYTES);
        this.rangeSlot = assembler.stackSlot(PAIR_BYTES);
        this.foundSlot = assembler.stackSlot(PAIR_BYTES);
        this.pointerSlot = assembler.stackSlot(Long.BYTES);
        this.valueSlot = assembler.stackSlot(Long.BYTES);
        this.leftSlot = assembler.stackSlot(Long.BYTES);
    }

    /**
     * Falls through with the address and the length of the value on the stack; the length is 0 if there is no such header. Jumps if the
     * stream cannot be found, and if it has a header twice that may be there only once. May lose R0 to R5.
     *
     * @return where address and length stand
     */
    int find(ArgumentSpec argument, Label unreadable) {
        int streamsOffset = Math.toIntExact(argument.dereferenceOffsetsBytes().get(0));
        int headersOffset = Math.toIntExact(argument.dereferenceOffsetsBytes().get(1));
        access.load(R1, PointerCode.bound(argument));
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot, R1);
        read(valueSlot, FRAME_STREAM_ID, Integer.BYTES, unreadable);
        assembler.load(Width.WORD, R1, R10, bufferSlot);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot + Long.BYTES, R1);
        access.load(R1, argument);
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot, R1);
        stream(streamsOffset, unreadable);
        read(valueSlot, headersOffset, PAIR_BYTES, unreadable);
        header(argument.type().header().orElseThrow(), unreadable);
        return foundSlot;
    }

    /** Replaces the session in the slot of values by its stream of that id. */
    private void stream(int streamsOffset, Label unreadable) {
        Label found = assembler.newLabel();
        Label next = assembler.newLabel();
        read(valueSlot, streamsOffset, PAIR_BYTES, unreadable);
        assembler.load(Width.DOUBLE_WORD, R3, R10, bufferSlot + Long.BYTES);
        assembler.jumpIf(Condition.EQUAL, R3, 0, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, rangeSlot + Long.BYTES);
        assembler.mov(R2, R1).div(R2, R3).mul(R2, R3).sub(R1, R2); // the id modulo the count of buckets
        assembler.shiftLeft(R1, 3).load(Width.DOUBLE_WORD, R2, R10, bufferSlot).add(R1, R2);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot, R1);
        read(rangeSlot, 0, Long.BYTES, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot);
        assembler.jumpIf(Condition.EQUAL, R1, 0, unreadable);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot, R1);
        read(rangeSlot, 0, Long.BYTES, unreadable);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, leftSlot, MAX_NODES);
        assembler.bind(next);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot);
        assembler.jumpIf(Condition.EQUAL, R1, 0, unreadable);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot, R1);
        read(rangeSlot, 0, NODE_BYTES, unreadable);
        assembler.load(Width.WORD, R1, R10, bufferSlot + NODE_ID);
        assembler.load(Width.DOUBLE_WORD, R2, R10, rangeSlot + Long.BYTES);
        assembler.jumpIf(Condition.EQUAL, R1, R2, found);
        again(next);
        assembler.jump(unreadable);
        assembler.bind(found);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot + NODE_STREAM);
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot, R1);
    }

    /** Finds the header in the vector in the buffer. */
    private void header(Http2Header header, Label unreadable) {
        Label next = assembler.newLabel();
        Label other = assembler.newLabel();
        Label done = assembler.newLabel();
        Label none = assembler.newLabel();
        byte[] name = header.headerName().getBytes(StandardCharsets.US_ASCII);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot).store(Width.DOUBLE_WORD, R10, rangeSlot, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot + Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot + Long.BYTES, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, foundSlot + Long.BYTES, -1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, leftSlot, MAX_HEADERS);
        assembler.bind(next);
        assembler.load(Width.DOUBLE_WORD, R1, R10, rangeSlot).load(Width.DOUBLE_WORD, R2, R10, rangeSlot + Long.BYTES);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, R2, done);
        read(rangeSlot, HEADER_NAME, HEADER_VALUE + Long.BYTES - HEADER_NAME, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, rangeSlot).add(R1, HEADER_BYTES);
        assembler.store(Width.DOUBLE_WORD, R10, rangeSlot, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot + HEADER_VALUE - HEADER_NAME);
        assembler.store(Width.DOUBLE_WORD, R10, valueSlot, R1);
        read(bufferSlot, RCBUF_BASE, PAIR_BYTES, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, bufferSlot + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, name.length, other);
        read(bufferSlot, 0, name.length, unreadable);
        jumpUnlessNamed(name, other);
        assembler.load(Width.DOUBLE_WORD, R1, R10, foundSlot + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, -1, unreadable); // there are two: which of them is right is unknown
        memory.bytes(
                MemoryCode.plus(assembler, inSlot(valueSlot), RCBUF_BASE),
                PAIR_BYTES,
                Memory.USER,
                R10,
                foundSlot,
                unreadable);
        if (header.isPseudoHeader()) {
            assembler.jump(done);
        }
        assembler.bind(other);
        again(next);
        assembler.jump(unreadable);
        assembler.bind(done);
        assembler.load(Width.DOUBLE_WORD, R1, R10, foundSlot + Long.BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, -1, none);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, foundSlot + Long.BYTES, 0);
        assembler.bind(none);
    }

    /** Jumps back if anything may be left. */
    private void again(Label next) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, leftSlot).sub(R1, 1).store(Width.DOUBLE_WORD, R10, leftSlot, R1);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, next);
    }

    /** Compares the buffer with the name, 8, 4, 2 or 1 bytes at a time. */
    private void jumpUnlessNamed(byte[] name, Label other) {
        ByteBuffer words = ByteBuffer.wrap(name).order(ByteOrder.LITTLE_ENDIAN);
        while (words.hasRemaining()) {
            int slot = bufferSlot + words.position();
            if (words.remaining() >= Long.BYTES) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, slot).loadImmediate64(R2, words.getLong());
                assembler.jumpIf(Condition.NOT_EQUAL, R1, R2, other);
            } else if (words.remaining() >= Integer.BYTES) {
                assembler.load(Width.WORD, R1, R10, slot);
                assembler.jumpIf(Condition.NOT_EQUAL, R1, words.getInt(), other);
            } else if (words.remaining() >= Short.BYTES) {
                assembler.load(Width.HALF, R1, R10, slot);
                assembler.jumpIf(Condition.NOT_EQUAL, R1, words.getShort(), other);
            } else {
                assembler.load(Width.BYTE, R1, R10, slot);
                assembler.jumpIf(Condition.NOT_EQUAL, R1, words.get(), other);
            }
        }
    }

    /** Reads from so many bytes behind the pointer in the slot, which may be the buffer's first, to the buffer. */
    private void read(int slot, int offset, int sizeBytes, Label unreadable) {
        // A reading that failed, and is tried again, has cleared the buffer.
        assembler.load(Width.DOUBLE_WORD, R1, R10, slot).store(Width.DOUBLE_WORD, R10, pointerSlot, R1);
        memory.bytes(
                MemoryCode.plus(assembler, inSlot(pointerSlot), offset),
                sizeBytes,
                Memory.USER,
                R10,
                bufferSlot,
                unreadable);
    }

    private MemoryCode.Load inSlot(int slot) {
        return destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
    }
}
