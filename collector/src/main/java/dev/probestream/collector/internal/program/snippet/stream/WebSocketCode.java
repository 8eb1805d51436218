package dev.probestream.collector.internal.program.snippet.stream;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;
import dev.probestream.collector.internal.program.snippet.MemoryCode;
import java.util.List;

/**
 * Emits the code that follows the frames of a WebSocket connection (RFC 6455, section 5.2) in what is written to it and read from
 * it: R7 = its {@link WebSocketLayout}. A header's bytes are all that is read of a frame, wherever it begins; one may come
 * in pieces. What violates the protocol, or needs more than {@value #MAX_STEPS} steps, ends the counting of its direction.
 */
public final class WebSocketCode {
    /** A frame is one step of the loop, and a buffer is one. */
    static final int MAX_STEPS = 1 << 16;
    /** Where the kernel has no loops, its verifier follows each step. */
    static final int MAX_STEPS_UNROLLED = 64;

    private static final int POINTER_AND_LENGTH_BYTES = 16;
    private static final int FIN = 0x80;
    private static final int LENGTH_BITS = 0x7f;
    private static final int LENGTH_OF_2_BYTES = 126;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PONG = 10;
    private static final int MAX_CONTROL_BYTES = 125;

    private final Assembler assembler;
    private final MemoryCode memory;
    private final boolean maySleep;
    private final boolean hasLoops;
    private final int chunkSlot;

    /** @param maySleep whether programs can sleep: since Linux 6.0, which therefore has bpf_loop (5.17), too */
    public WebSocketCode(Assembler assembler, boolean maySleep) {
        this(assembler, maySleep, maySleep);
    }

    WebSocketCode(Assembler assembler, boolean maySleep, boolean hasLoops) {
        this.assembler = assembler;
        this.maySleep = maySleep;
        this.hasLoops = hasLoops;
        this.memory = new MemoryCode(assembler, maySleep);
        this.chunkSlot = assembler.stackSlot(UpgradeAnswerCode.CHUNK_BYTES);
    }

    /**
     * Jumps unless these bytes begin like an answer with the status 101. May lose R0 to R5.
     *
     * @param addressSlot where on the stack their address stands
     */
    public void rejectOthers(int addressSlot, Label others) {
        new UpgradeAnswerCode(assembler, memory, chunkSlot).rejectOthers(addressSlot, others);
    }

    /** Puts the first of the buffers on the stack: its address and length. */
    public void firstBuffer(int buffersSlot, int pairSlot, Label unreadable) {
        memory.bytes(
                destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, buffersSlot),
                POINTER_AND_LENGTH_BYTES,
                Memory.USER,
                R10,
                pairSlot,
                unreadable);
    }

    /** What is read is one buffer, whose address and length stand on the stack. */
    public void ofRead(int addressSlot, int lengthSlot, int direction) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, addressSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.ADDRESS_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, lengthSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.LENGTH_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.BUFFERS_LEFT_OFFSET, 0);
        addBytes(direction);
    }

    /** What is written are buffers (uv_buf_t), whose address and number stand on the stack. */
    public void ofWrite(int buffersSlot, int countSlot) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, buffersSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.NEXT_BUFFER_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, countSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.BUFFERS_LEFT_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.LENGTH_OFFSET, 0);
    }

    /** R1 = the length of the buffer; adds it to the bytes. */
    private void addBytes(int direction) {
        assembler.load(Width.DOUBLE_WORD, R2, R7, direction + WebSocketLayout.BYTES_OFFSET);
        assembler.add(R2, R1).store(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.BYTES_OFFSET, R2);
    }

    /**
     * Finds the end of the answer with the status 101, behind which the first frame begins, and whether it is WebSocket that it
     * announces. Where the end is not within the first 1024 bytes, nothing is counted in this direction. Loses R0 to R5, R8
     * and R9.
     *
     * @param addressSlot where on the stack the address of the bytes stands
     * @param lengthSlot where their number stands
     */
    public void findEndOfAnswer(int addressSlot, int lengthSlot, int direction) {
        Label done = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R10, addressSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.ADDRESS_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, lengthSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.LENGTH_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.KNOWN_OFFSET, 0);
        loop(
                UpgradeAnswerCode.MAX_CHUNKS,
                UpgradeAnswerCode.MAX_CHUNKS,
                done,
                (code, next, over) -> code.chunk(direction, next, over));
        lost(direction);
        assembler.bind(done);
    }

    private void chunk(int direction, Label next, Label over) {
        Label missing = assembler.newLabel();
        Label found = assembler.newLabel();
        new UpgradeAnswerCode(assembler, memory, chunkSlot).chunk(this::position, next, found, missing);
        assembler.bind(found);
        assembler.store(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.AHEAD_OFFSET, R2);
        assembler.mov(R1, 0).sub(R1, R2);
        addBytes(direction);
        assembler.jump(over);
        assembler.bind(missing);
        lost(direction);
        assembler.jump(over);
    }

    /** The address of the position in the buffer; loses R0. */
    private void position(Register destination) {
        assembler.load(Width.DOUBLE_WORD, destination, R7, WebSocketLayout.ADDRESS_OFFSET);
        assembler
                .load(Width.DOUBLE_WORD, R0, R7, WebSocketLayout.POSITION_OFFSET)
                .add(destination, R0);
    }

    /** What is done again and again: goes on to the next time, or to the end, and never falls through. */
    private interface Step {
        void emit(WebSocketCode code, Label next, Label over);
    }

    /** Jumps when the step is over; falls through when it was done so many times. Loses R0 to R5, R8 and R9. */
    private void loop(int times, int timesUnrolled, Label over, Step step) {
        if (hasLoops) {
            assembler.store(Width.DOUBLE_WORD, R10, chunkSlot, R7);
            assembler.mov(R1, times).loadFunction(R2, function(step));
            assembler.mov(R3, R10).add(R3, chunkSlot).mov(R4, 0).call(Helper.LOOP);
            assembler.jumpIf(Condition.LESS, R0, times, over);
            return;
        }
        Label next = assembler.newLabel();
        Label exhausted = assembler.newLabel();
        assembler.mov(R8, 0).bind(next);
        assembler
                .jumpIf(Condition.GREATER_OR_EQUAL, R8, timesUnrolled, exhausted)
                .add(R8, 1);
        step.emit(this, next, over);
        assembler.bind(exhausted);
    }

    /** (index, {R7}) -> 1 = it is over. */
    private List<Instruction> function(Step step) {
        Assembler function = new Assembler();
        Label next = function.newLabel();
        Label over = function.newLabel();
        function.load(Width.DOUBLE_WORD, R7, R2, 0);
        step.emit(new WebSocketCode(function, maySleep, true), next, over);
        function.bind(next).mov(R0, 0).exit();
        function.bind(over).mov(R0, 1).exit();
        return function.assemble();
    }

    private void lost(int direction) {
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.IS_LOST_OFFSET, 1);
    }

    /** Follows the frames in the bytes that {@link #ofRead} or {@link #ofWrite} has set. Loses R0 to R5, R8 and R9. */
    public void follow(int direction) {
        Label done = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R7, direction + WebSocketLayout.AHEAD_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, R1);
        loop(MAX_STEPS, MAX_STEPS_UNROLLED, done, (code, next, over) -> code.step(direction, next, over));
        lost(direction);
        assembler.bind(done);
    }

    /** A frame, or the end of a buffer. Never falls through. */
    private void step(int direction, Label next, Label done) {
        Label frame = assembler.newLabel();
        Label unreadable = assembler.newLabel();
        Label over = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.POSITION_OFFSET);
        assembler.load(Width.DOUBLE_WORD, R2, R7, WebSocketLayout.LENGTH_OFFSET);
        assembler.jumpIf(Condition.LESS, R1, R2, frame);
        assembler.sub(R1, R2).store(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, R1);
        nextBuffer(direction, unreadable, over);
        assembler.jump(next);
        assembler.bind(frame);
        frame(direction, next);
        assembler.bind(over);
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.POSITION_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.AHEAD_OFFSET, R1);
        assembler.jump(done);
        assembler.bind(unreadable);
        lost(direction);
        assembler.jump(done);
    }

    private void nextBuffer(int direction, Label unreadable, Label none) {
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.BUFFERS_LEFT_OFFSET);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, WebSocketLayout.LENGTH_OFFSET, 0);
        assembler.jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.sub(R1, 1).store(Width.DOUBLE_WORD, R7, WebSocketLayout.BUFFERS_LEFT_OFFSET, R1);
        memory.bytes(
                destination -> assembler.load(Width.DOUBLE_WORD, destination, R7, WebSocketLayout.NEXT_BUFFER_OFFSET),
                POINTER_AND_LENGTH_BYTES,
                Memory.USER,
                R10,
                chunkSlot,
                unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.NEXT_BUFFER_OFFSET);
        assembler.add(R1, POINTER_AND_LENGTH_BYTES);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.NEXT_BUFFER_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, chunkSlot);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.ADDRESS_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R10, chunkSlot + Long.BYTES);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.LENGTH_OFFSET, R1);
        addBytes(direction);
    }

    /** A header begins, or goes on, at the position (R1) before the end of the buffer (R2). Never falls through. */
    private void frame(int direction, Label next) {
        Label lost = assembler.newLabel();
        Label passed = assembler.newLabel();
        Label partial = assembler.newLabel();
        Label complete = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R7, direction + WebSocketLayout.IS_LOST_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R3, 0, passed);
        takeHeader(direction, lost);
        headerSizes(direction, partial, complete, lost);

        assembler.bind(partial);
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.KNOWN_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.HEADER_BYTES_OFFSET, R1);
        assembler.jump(passed);

        assembler.bind(complete);
        // R2 = how long the header is, R3 = how long the rest of the frame.
        assembler.load(Width.DOUBLE_WORD, R1, R7, direction + WebSocketLayout.HEADER_BYTES_OFFSET);
        assembler.sub(R2, R1).load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.POSITION_OFFSET);
        assembler.add(R1, R2).add(R1, R3).store(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, R1);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.HEADER_BYTES_OFFSET, 0);
        countFrame(direction, next, lost);

        assembler.bind(lost);
        lost(direction);
        assembler.bind(passed);
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.LENGTH_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.POSITION_OFFSET, R1);
        assembler.jump(next);
    }

    /** Reads as much of the header as may be there, behind what is known of it. */
    private void takeHeader(int direction, Label lost) {
        Label fits = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R3, R7, direction + WebSocketLayout.HEADER_BYTES_OFFSET);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R3, WebSocketLayout.MAX_HEADER_BYTES, lost);
        assembler.mov(R4, WebSocketLayout.MAX_HEADER_BYTES).sub(R4, R3).sub(R2, R1);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R2, R4, fits);
        assembler.mov(R2, R4);
        assembler.bind(fits);
        assembler.store(Width.DOUBLE_WORD, R7, WebSocketLayout.TAKEN_OFFSET, R2);
        assembler.add(R2, R3).store(Width.DOUBLE_WORD, R7, WebSocketLayout.KNOWN_OFFSET, R2);
        assembler.mov(R9, R7).add(R9, R3);
        MemoryCode.Load taken = destination -> {
            Label bounded = assembler.newLabel();
            assembler.load(Width.DOUBLE_WORD, destination, R7, WebSocketLayout.TAKEN_OFFSET);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, destination, WebSocketLayout.MAX_HEADER_BYTES, bounded);
            assembler.mov(destination, WebSocketLayout.MAX_HEADER_BYTES);
            assembler.bind(bounded);
        };
        memory.bytes(this::position, taken, Memory.USER, R9, direction + WebSocketLayout.HEADER_OFFSET, lost);
    }

    /** R2 = the size of the header, R3 = of the rest of the frame, if all of the header is there. Never falls through. */
    private void headerSizes(int direction, Label partial, Label complete, Label lost) {
        Label longest = assembler.newLabel();
        Label shortest = assembler.newLabel();
        int header = direction + WebSocketLayout.HEADER_OFFSET;
        assembler.load(Width.DOUBLE_WORD, R1, R7, WebSocketLayout.KNOWN_OFFSET);
        assembler.jumpIf(Condition.LESS, R1, 2, partial);
        assembler.load(Width.BYTE, R2, R7, header + 1);
        assembler.mov(R3, R2).and(R3, LENGTH_BITS).shiftRight(R2, 7);
        assembler.load(Width.DOUBLE_WORD, R4, R7, direction + WebSocketLayout.IS_MASKED_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R2, R4, lost);
        assembler.shiftLeft(R2, 2).add(R2, 2);
        assembler.jumpIf(Condition.LESS, R3, LENGTH_OF_2_BYTES, shortest);
        assembler.jumpIf(Condition.GREATER, R3, LENGTH_OF_2_BYTES, longest);
        assembler.add(R2, Short.BYTES).jumpIf(Condition.LESS, R1, R2, partial);
        bigEndian(header + 2, Short.BYTES);
        assembler.jump(complete);
        assembler.bind(longest);
        assembler.add(R2, Long.BYTES).jumpIf(Condition.LESS, R1, R2, partial);
        bigEndian(header + 2, Long.BYTES);
        assembler.jumpIf(Condition.SIGNED_LESS, R3, 0, lost).jump(complete);
        assembler.bind(shortest);
        assembler.jumpIf(Condition.LESS, R1, R2, partial).jump(complete);
    }

    /** R3 = the number of so many bytes; loses R4. */
    private void bigEndian(int offset, int bytes) {
        assembler.load(Width.BYTE, R3, R7, offset);
        for (int i = 1; i < bytes; i++) {
            assembler.load(Width.BYTE, R4, R7, offset + i);
            assembler.shiftLeft(R3, Byte.SIZE).or(R3, R4);
        }
    }

    /** Counts the message that ends with this frame, whose length is R3, and goes on. */
    private void countFrame(int direction, Label next, Label lost) {
        Label control = assembler.newLabel();
        Label first = assembler.newLabel();
        Label within = assembler.newLabel();
        int isWithin = direction + WebSocketLayout.IS_WITHIN_OFFSET;
        assembler.load(Width.BYTE, R1, R7, direction + WebSocketLayout.HEADER_OFFSET);
        assembler.mov(R2, R1).and(R2, 0x0f).and(R1, FIN);
        assembler.jumpIf(Condition.GREATER, R2, PONG, lost);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R2, CLOSE, control);
        assembler.jumpIf(Condition.GREATER, R2, BINARY, lost);
        assembler.load(Width.DOUBLE_WORD, R4, R7, isWithin);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R2, TEXT, first);
        assembler.jumpIf(Condition.EQUAL, R4, 0, lost).jumpIf(Condition.EQUAL, R1, 0, next);
        assembler.jump(within);
        assembler.bind(first);
        assembler.jumpIf(Condition.NOT_EQUAL, R4, 0, lost);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, isWithin, 1);
        assembler.jumpIf(Condition.EQUAL, R1, 0, next);
        assembler.bind(within);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, isWithin, 0);
        assembler
                .load(Width.DOUBLE_WORD, R1, R7, direction + WebSocketLayout.MESSAGES_OFFSET)
                .add(R1, 1);
        assembler.store(Width.DOUBLE_WORD, R7, direction + WebSocketLayout.MESSAGES_OFFSET, R1);
        assembler.jump(next);
        assembler.bind(control);
        assembler.jumpIf(Condition.EQUAL, R1, 0, lost);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R3, MAX_CONTROL_BYTES, next);
        assembler.jump(lost);
    }
}
