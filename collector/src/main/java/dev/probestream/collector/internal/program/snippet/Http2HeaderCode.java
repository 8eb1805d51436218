package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.Http2SearchLayout;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Http2Header;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Emits the code that finds one header among those that came last on an HTTP/2 stream (src/main/bpf/http2_headers.bpf.c). */
final class Http2HeaderCode {
    private static final int CALLED_STACK_BYTES = 256;

    private static final int CALLED_STACK_BYTES_WITHOUT_LOOPS = 192;

    private final Assembler assembler;
    private final ArgumentAccess access;
    private final int maySleep;
    private final int searchSlot;

    Http2HeaderCode(Assembler assembler, ArgumentAccess access, boolean maySleep) {
        this.assembler = assembler;
        this.access = access;
        this.maySleep = maySleep ? 1 : 0;
        this.searchSlot = assembler.stackSlot(Http2SearchLayout.SIZE_BYTES);
    }

    /**
     * Falls through with the address and the length of the value on the stack; the length is 0 if there is no such header. Jumps if the
     * stream cannot be found, and if it has a header twice that may be there only once. May lose R0 to R5.
     *
     * @return where address and length stand
     */
    int find(ArgumentSpec argument, Label unreadable) {
        Http2Header header = argument.type().header().orElseThrow();
        byte[] name = header.headerName().getBytes(StandardCharsets.US_ASCII);
        access.load(R1, PointerCode.bound(argument));
        store(Http2SearchLayout.FRAME_OFFSET);
        access.load(R1, argument);
        store(Http2SearchLayout.SESSION_OFFSET);
        number(
                Http2SearchLayout.STREAMS_PLACE_OFFSET,
                argument.dereferenceOffsetsBytes().get(0));
        number(
                Http2SearchLayout.HEADERS_PLACE_OFFSET,
                argument.dereferenceOffsetsBytes().get(1));
        number(Http2SearchLayout.IS_FIRST_OFFSET, header.isPseudoHeader() ? 1 : 0);
        ByteBuffer words = ByteBuffer.allocate(Http2SearchLayout.MAX_NAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        words.put(name).rewind();
        for (int at = 0; at < words.capacity(); at += Long.BYTES) {
            number(Http2SearchLayout.NAME_OFFSET + at, words.getLong(at));
        }
        assembler.mov(R1, R10).add(R1, searchSlot).mov(R2, name.length).mov(R3, maySleep);
        // A program that may sleep is for Linux 6.0, which has loops (5.17).
        if (maySleep == 1) {
            assembler.callFunction("find_http2_header", CALLED_STACK_BYTES);
        } else {
            assembler.callFunction("find_http2_header_without_loops", CALLED_STACK_BYTES_WITHOUT_LOOPS);
        }
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
        return searchSlot + Http2SearchLayout.VALUE_OFFSET;
    }

    private void store(int offset) {
        assembler.store(Width.DOUBLE_WORD, R10, searchSlot + offset, R1);
    }

    private void number(int offset, long value) {
        assembler.loadImmediate64(R1, value);
        store(offset);
    }
}
