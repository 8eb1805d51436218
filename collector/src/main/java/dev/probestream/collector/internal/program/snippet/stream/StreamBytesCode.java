package dev.probestream.collector.internal.program.snippet.stream;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess.Memory;
import dev.probestream.collector.internal.program.snippet.MemoryCode;

/**
 * Emits the code that copies what is written to a stream, or was read from it, into a sample ({@link StreamBytesLayout}), and that
 * looks whether what is written may be the message of a client to a database.
 */
public final class StreamBytesCode {
    private static final int POINTER_AND_LENGTH_BYTES = 16;
    private static final int LOOKED_AT_BYTES = 8;

    // The messages of PostgreSQL's protocol, 3, that a client begins with a letter: its bits count from 'B'.
    private static final String POSTGRES_LETTERS = "BCDEFHPQSXcdfp";
    // The requests that have none (src/include/libpq/pqcomm.h): the version 3.0, TLS, GSSAPI; in memory, read
    // little-endian.
    private static final int[] POSTGRES_BEGINNINGS = {0x0000_0300, 0x2f16_d204, 0x3016_d204};
    /** MySQL's packets count from 0 in a command; a client's answers to a greeting come later. */
    private static final int MYSQL_MAX_NUMBER = 3;

    private final Assembler assembler;
    private final MemoryCode memory;
    private final int pairSlot;
    private final int lookSlot;

    public StreamBytesCode(Assembler assembler, boolean maySleep) {
        this.assembler = assembler;
        this.memory = new MemoryCode(assembler, maySleep);
        this.pairSlot = assembler.stackSlot(POINTER_AND_LENGTH_BYTES);
        this.lookSlot = assembler.stackSlot(LOOKED_AT_BYTES);
    }

    /**
     * Jumps unless the first buffer begins like a whole message of a client to PostgreSQL, MySQL or Redis. May lose R0 to R5.
     *
     * @param buffersSlot where on the stack the address of the array of buffers stands
     */
    public void rejectOthers(int buffersSlot, Label others) {
        Label found = assembler.newLabel();
        memory.bytes(inSlot(buffersSlot), POINTER_AND_LENGTH_BYTES, Memory.USER, R10, pairSlot, others);
        memory.bytes(inSlot(pairSlot), LOOKED_AT_BYTES, Memory.USER, R10, lookSlot, others);
        assembler.load(Width.DOUBLE_WORD, R3, R10, pairSlot + Long.BYTES);
        redis(found);
        mysql(found);
        postgres(found, others);
        assembler.bind(found);
    }

    /** An array of bulk strings: {@code *}, and a digit. */
    private void redis(Label found) {
        Label none = assembler.newLabel();
        assembler.load(Width.BYTE, R1, R10, lookSlot).jumpIf(Condition.NOT_EQUAL, R1, '*', none);
        assembler.load(Width.BYTE, R1, R10, lookSlot + 1).jumpIf(Condition.LESS, R1, '1', none);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R1, '9', found);
        assembler.bind(none);
    }

    /** A packet: 3 bytes of length, little-endian, and its number. */
    private void mysql(Label found) {
        Label none = assembler.newLabel();
        assembler.load(Width.BYTE, R1, R10, lookSlot + 3).jumpIf(Condition.GREATER, R1, MYSQL_MAX_NUMBER, none);
        assembler.load(Width.WORD, R1, R10, lookSlot).and(R1, 0xff_ffff).add(R1, 4);
        assembler.jumpIf(Condition.EQUAL, R1, R3, found);
        assembler.bind(none);
    }

    /** A letter and a length, big-endian, that counts itself; or only the length, and what is asked for. */
    private void postgres(Label found, Label others) {
        Label noLetter = assembler.newLabel();
        assembler.load(Width.BYTE, R1, R10, lookSlot);
        assembler.jumpIf(Condition.LESS, R1, 'B', noLetter).jumpIf(Condition.GREATER, R1, 'p', noLetter);
        long letters = POSTGRES_LETTERS
                .chars()
                .mapToLong(letter -> 1L << (letter - 'B'))
                .sum();
        assembler.sub(R1, 'B').loadImmediate64(R2, letters).shiftRight(R2, R1).and(R2, 1);
        assembler.jumpIf(Condition.EQUAL, R2, 0, noLetter);
        bigEndian(lookSlot + 1);
        assembler.jumpIf(Condition.LESS, R1, Integer.BYTES, noLetter).add(R1, 1);
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R1, R3, found);
        assembler.bind(noLetter);
        bigEndian(lookSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, R3, others);
        assembler.load(Width.WORD, R1, R10, lookSlot + Integer.BYTES);
        for (int beginning : POSTGRES_BEGINNINGS) {
            assembler.jumpIf(Condition.EQUAL, R1, beginning, found);
        }
        assembler.jump(others);
    }

    /** R1 = the number of 4 bytes; loses R2. */
    private void bigEndian(int slot) {
        assembler.load(Width.BYTE, R1, R10, slot);
        for (int i = 1; i < Integer.BYTES; i++) {
            assembler
                    .shiftLeft(R1, Byte.SIZE)
                    .load(Width.BYTE, R2, R10, slot + i)
                    .or(R1, R2);
        }
    }

    /**
     * Copies the buffers of a write, with their lengths, to {@code R7 + offset}; loses R0 to R5 and R9.
     *
     * @param countSlot where on the stack their number stands
     * @param mostBuffers so many at most
     */
    public void copyBuffers(int buffersSlot, int countSlot, int offset, int mostBuffers, StreamBytesLayout.Room size) {
        Label done = assembler.newLabel();
        int bytes = offset + StreamBytesLayout.HEADER_SIZE_BYTES;
        int used = offset + StreamBytesLayout.HEAD_BYTES_OFFSET;
        int room = size.sizeBytes()
                - StreamBytesLayout.HEADER_SIZE_BYTES
                - StreamBytesLayout.MAX_BUFFER_BYTES
                - StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES;
        for (int i = 0; i < mostBuffers; i++) {
            Label unread = assembler.newLabel();
            assembler.load(Width.DOUBLE_WORD, R1, R10, countSlot).jumpIf(Condition.LESS_OR_EQUAL, R1, i, done);
            MemoryCode.Load buffer =
                    MemoryCode.plus(assembler, inSlot(buffersSlot), (long) i * POINTER_AND_LENGTH_BYTES);
            memory.bytes(buffer, POINTER_AND_LENGTH_BYTES, Memory.USER, R10, pairSlot, done);
            // Read from the sample, so that to the verifier it is any number each time: the ways through the loop stay
            // few.
            assembler.load(Width.WORD, R1, R7, used).jumpIf(Condition.GREATER, R1, room, done);
            assembler.mov(R9, R7).add(R9, R1);
            assembler.load(Width.DOUBLE_WORD, R2, R10, pairSlot + Long.BYTES);
            assembler.store(Width.WORD, R9, bytes + StreamBytesLayout.BUFFER_LENGTH_OFFSET, R2);
            assembler.storeImmediate(Width.WORD, R9, bytes + StreamBytesLayout.BUFFER_COPIED_OFFSET, 0);
            assembler.add(R1, StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES).store(Width.WORD, R7, used, R1);
            assembler.jumpIf(Condition.EQUAL, R2, 0, unread);
            MemoryCode.Load some = atMost(pairSlot + Long.BYTES, StreamBytesLayout.MAX_BUFFER_BYTES);
            int behind = bytes + StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES;
            memory.bytes(inSlot(pairSlot), some, Memory.USER, R9, behind, unread);
            some.into(R1);
            assembler.store(Width.WORD, R9, bytes + StreamBytesLayout.BUFFER_COPIED_OFFSET, R1);
            assembler.load(Width.WORD, R2, R7, used).add(R2, R1).store(Width.WORD, R7, used, R2);
            assembler.bind(unread);
        }
        assembler.bind(done);
    }

    /** The same of one small buffer. */
    public void copyBuffer(int buffersSlot, int offset) {
        Label unread = assembler.newLabel();
        int bytes = offset + StreamBytesLayout.HEADER_SIZE_BYTES;
        memory.bytes(inSlot(buffersSlot), POINTER_AND_LENGTH_BYTES, Memory.USER, R10, pairSlot, unread);
        assembler.load(Width.DOUBLE_WORD, R1, R10, pairSlot + Long.BYTES);
        assembler.store(Width.WORD, R7, bytes + StreamBytesLayout.BUFFER_LENGTH_OFFSET, R1);
        assembler.storeImmediate(Width.WORD, R7, bytes + StreamBytesLayout.BUFFER_COPIED_OFFSET, 0);
        assembler.storeImmediate(
                Width.WORD,
                R7,
                offset + StreamBytesLayout.HEAD_BYTES_OFFSET,
                StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES);
        assembler.jumpIf(Condition.EQUAL, R1, 0, unread);
        MemoryCode.Load size = atMost(pairSlot + Long.BYTES, StreamBytesLayout.SMALL_BYTES);
        int behind = bytes + StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES;
        memory.bytes(inSlot(pairSlot), size, Memory.USER, R7, behind, unread);
        size.into(R1);
        assembler.store(Width.WORD, R7, bytes + StreamBytesLayout.BUFFER_COPIED_OFFSET, R1);
        assembler.add(R1, StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES);
        assembler.store(Width.WORD, R7, offset + StreamBytesLayout.HEAD_BYTES_OFFSET, R1);
        assembler.bind(unread);
    }

    /** Jumps if the only buffer of a write is longer than a small sample takes, or if it cannot be read. */
    public void jumpUnlessSmallBuffer(int buffersSlot, Label large) {
        memory.bytes(inSlot(buffersSlot), POINTER_AND_LENGTH_BYTES, Memory.USER, R10, pairSlot, large);
        assembler.load(Width.DOUBLE_WORD, R1, R10, pairSlot + Long.BYTES);
        assembler.jumpIf(Condition.GREATER, R1, StreamBytesLayout.SMALL_BYTES, large);
    }

    /**
     * Copies what was read, its first bytes and, if these are not all, its last ones, to {@code R7 + offset}.
     *
     * @param dataSlot where on the stack its address stands
     * @param lengthSlot where its length stands, a signed number of 64 bits
     */
    public void copyRead(int dataSlot, int lengthSlot, int offset, boolean isSmall) {
        Label unread = assembler.newLabel();
        int mostBytes = isSmall ? StreamBytesLayout.SMALL_BYTES : StreamBytesLayout.HEAD_BYTES;
        assembler.load(Width.DOUBLE_WORD, R1, R10, lengthSlot);
        assembler.jumpIf(Condition.SIGNED_LESS_OR_EQUAL, R1, 0, unread);
        MemoryCode.Load size = atMost(lengthSlot, mostBytes);
        int bytes = offset + StreamBytesLayout.HEADER_SIZE_BYTES;
        memory.bytes(inSlot(dataSlot), size, Memory.USER, R7, bytes, unread);
        size.into(R1);
        assembler.store(Width.WORD, R7, offset + StreamBytesLayout.HEAD_BYTES_OFFSET, R1);
        if (!isSmall) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, lengthSlot);
            assembler.jumpIf(Condition.LESS, R1, StreamBytesLayout.HEAD_BYTES + StreamBytesLayout.TAIL_BYTES, unread);
            MemoryCode.Load tail = destination -> {
                assembler.load(Width.DOUBLE_WORD, destination, R10, dataSlot);
                assembler.load(Width.DOUBLE_WORD, R0, R10, lengthSlot).add(destination, R0);
                assembler.sub(destination, StreamBytesLayout.TAIL_BYTES);
            };
            memory.bytes(
                    tail,
                    StreamBytesLayout.TAIL_BYTES,
                    Memory.USER,
                    R7,
                    offset + StreamBytesLayout.TAIL_OFFSET,
                    unread);
            assembler.storeImmediate(
                    Width.WORD, R7, offset + StreamBytesLayout.TAIL_BYTES_OFFSET, StreamBytesLayout.TAIL_BYTES);
        }
        assembler.bind(unread);
    }

    private MemoryCode.Load inSlot(int slot) {
        return destination -> assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
    }

    /** The number in the slot, or the bound where that is less. */
    private MemoryCode.Load atMost(int slot, int bound) {
        return (Register destination) -> {
            Label fits = assembler.newLabel();
            inSlot(slot).into(destination);
            assembler.jumpIf(Condition.LESS_OR_EQUAL, destination, bound, fits);
            assembler.mov(destination, bound);
            assembler.bind(fits);
        };
    }
}
